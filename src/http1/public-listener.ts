/**
 * The front: the port that the world sees.
 *
 * 1. Visits of short links are answered here, from the connection's bytes and without the runtime's HTTP server between:
 *    taking a request apart there and putting an answer together costs more than the rest of a redirect.
 * 2. Any other request is handed on to the HTTP server on loopback: the API, the app, and what is unusual in HTTP. One
 *    whose end could be understood in two ways is refused (request-framing.ts).
 * 3. Answers go out when the turn of the event loop is over and the spool has written its clicks with one write: so no
 *    visitor has an answer whose click could be lost.
 * 4. Answers go out in the order of their requests: while one is being waited for, what follows waits too.
 * 5. Each domain has its share of a turn, however many ask for it at once: see lines.ts.
 * 6. An answer that is waited for goes out even when the front is closing.
 */

import type { SocketHandler, TCPSocketListener } from "bun";
import { fileDescriptorsMax } from "../base/file-descriptors.ts";
import { isReading } from "../base/is-reading.ts";
import type { Log } from "../base/log.ts";
import type { RedirectHandler } from "../redirects/redirect-handler.ts";
import { Connection, idleSecondsMax } from "./connection.ts";
import type { Client, ConnectionContext } from "./connection-context.ts";
import { ConnectionLimiter } from "./connection-limiter.ts";
import { dateHeaderAndEnd } from "./date-header.ts";
import { FairQueue } from "./fair-queue.ts";
import { proxyLine } from "./proxy-line.ts";
import { type NoResponseReason, openTunnel, type Tunnel, type TunnelCallbacks, type TunnelTarget } from "./tunnel.ts";
import { unavailableText } from "./unavailable.ts";
import { DownloadLimiter, type WriteTimeoutOptions } from "./write-timeout.ts";

/** What the front needs: how to answer visits, and where all other requests go. */
export type PublicListenerOptions = {
  port: number;
  hostname: string;
  /** Whether other processes listen on the same port, so that the system shares the connections out. */
  sharesPort?: boolean;
  /** Where all else is handed to: the HTTP server on loopback, or the main process's relay. */
  to: TunnelTarget;
  log: Log;
  /** Whether an address is a proxy of the operator's, which brings the connections of many; none is by default. */
  isTrusted?: (address: string) => boolean;
  /** Files and connections that the process may have open; as the system says by default. */
  fileDescriptorsMax?: number;
  /** Seconds a silent connection is kept; the runtime looks every four seconds. */
  idleTimeoutSeconds?: number;
  /** Bytes that a body may have; the largest of an operation by default. */
  bodyBytesMax?: number;
  /** How long clients may take nothing of what is answered behind the front. */
  writeTimeouts?: WriteTimeoutOptions;
  /** Milliseconds that only move on. */
  now?: () => number;
};

/** The port the world sees. */
export type PublicListener = {
  readonly port: number;
  /** From now on visits are answered; before, everything is handed on. Error bodies link to the app's documentation. */
  startAnswering(redirectHandler: RedirectHandler, appUrl?: URL): void;
  /** The address at the other end of a connection that came to the HTTP server from this port of loopback. */
  peerOf(localPort: number): string | undefined;
  /** Descriptors that connections take, and how many connections were refused for want of them. */
  connections(): { taken: number; refused: number };
  /**
   * Takes no more connections and closes those that wait for nothing; the ones handed on end with the HTTP server's.
   * Resolves when the last one is closed.
   */
  stop(): Promise<void>;
  /** Closes what is left. */
  close(): void;
};

/** Files and connections that a service on the Internet should be allowed to open. */
const descriptorsAdvised = 4_096;

/** Listens. Throws when the port is taken or the address is none of this machine's. */
export function openPublicListener(options: PublicListenerOptions): PublicListener {
  const { port, hostname, sharesPort = false, to, log } = options;
  const fairQueue = new FairQueue();
  const connections = new Set<Connection>();
  const allClosed = Promise.withResolvers<void>();
  let isStopping = false;
  const peers = new Map<number, string>();
  const downloads = new DownloadLimiter(options.writeTimeouts);
  const descriptors = options.fileDescriptorsMax ?? fileDescriptorsMax();
  const limiter = new ConnectionLimiter({
    fileDescriptorsMax: descriptors,
    isTrusted: options.isTrusted ?? (() => false),
    idleSeconds: options.idleTimeoutSeconds ?? idleSecondsMax,
  });

  if (descriptors < descriptorsAdvised) {
    log.warn("The process may open few files: connections beyond that are refused. Raise the limit (ulimit -n).", {
      limit: descriptors,
      advised: descriptorsAdvised,
    });
  }

  const context: ConnectionContext = {
    get idleTimeoutSeconds() {
      return limiter.idleSeconds;
    },
    bodyBytesMax: options.bodyBytesMax,
    paused: { bytes: 0 },
    now: options.now ?? (() => performance.now()),
    redirectHandler: forwardEverything,
    domainQueue: (authority) => fairQueue.queueOf(context.redirectHandler.domainOf(authority)),
    sendAfterTick: batchPerTick(
      (send) => context.redirectHandler.afterTick(() => send(context.now())),
      (error) => context.fail(error),
    ),
    fail: (error) => log.error("A request failed.", { error }),
    tunnel: (client, peer, first, callbacks) =>
      openUpstreamTunnel({ client, peer, first, callbacks }, { to, limiter, peers, downloads, context }),
    onClose(connection) {
      // Those that were turned away are not among them.
      if (connections.delete(connection)) limiter.release(connection.peer);
      if (connections.size === 0 && isStopping) allClosed.resolve();
    },
  };

  const listener: TCPSocketListener<Connection> = Bun.listen<Connection>({
    port,
    hostname,
    // Two services on one port lose each other's clicks: only processes of one service may share it.
    ...(sharesPort ? { reusePort: true } : { exclusive: true }),
    // A client that has sent its last request still gets the answer.
    allowHalfOpen: true,
    socket: handlers(context, connections, { limiter, log }),
  });

  return {
    port: listener.port,
    startAnswering(redirectHandler, appUrl) {
      Object.assign(context, { redirectHandler, appUrl });
    },
    peerOf: (localPort) => peers.get(localPort),
    connections: () => ({ taken: limiter.taken, refused: limiter.refused }),
    stop() {
      isStopping = true;
      listener.stop(false);
      for (const connection of connections) connection.stop();
      if (connections.size === 0) allClosed.resolve();
      return allClosed.promise;
    },
    close: () => listener.stop(true),
  };
}

/** Until visits are answered, everything is handed on. */
const forwardEverything: RedirectHandler = {
  answer: () => undefined,
  domainOf: () => "",
  afterTick: setImmediate,
  onSent() {},
};

/**
 * Gathers the connections whose answer is ready, and has them send it together when `afterTurn` calls back. What fails
 * for one of them keeps no other from sending.
 */
function batchPerTick(
  afterTick: (send: (now: number) => void) => void,
  fail: (error: unknown) => void,
): ConnectionContext["sendAfterTick"] {
  let sendAfterTick: Connection[] = [];
  const send = (now: number) => {
    const connections = sendAfterTick;
    sendAfterTick = [];
    const end = dateHeaderAndEnd();
    for (const connection of connections) {
      try {
        connection.sendPending(now, end);
      } catch (error) {
        fail(error);
        connection.onTimeout();
      }
    }
  };
  return (connection) => {
    if (sendAfterTick.push(connection) === 1) afterTick(send);
  };
}

function handlers(
  context: ConnectionContext,
  connections: Set<Connection>,
  { limiter, log }: { limiter: ConnectionLimiter; log: Log },
): SocketHandler<Connection> {
  return {
    open(client) {
      const connection = new Connection(client, context);
      client.data = connection;
      // One that was reset before it was taken has no address any more, and nobody to answer.
      if (isAbsent(connection.peer) || !limiter.tryAcquire(connection.peer)) {
        if (!isAbsent(connection.peer)) {
          log.warn("A connection was refused: too many are open, of all clients or of its network.", {
            taken: limiter.taken,
          });
        }
        client.terminate();
        return;
      }
      connections.add(connection);
      client.timeout(context.idleTimeoutSeconds);
    },
    data: (client, bytes) => client.data.receive(bytes),
    drain: (client) => client.data.drain(),
    end: (client) => client.data.onClientEnd(),
    timeout: (client) => client.data.onTimeout(),
    close: (client) => client.data.onClose(),
    error(client, error) {
      context.fail(error);
      client.end();
    },
  };
}

type ForwardedClient = { client: Client; peer: string; first: Buffer; callbacks: TunnelCallbacks };
type TunnelDeps = Pick<PublicListenerOptions, "to"> & {
  limiter: ConnectionLimiter;
  peers: Map<number, string>;
  downloads: DownloadLimiter;
  context: ConnectionContext;
};

/** Hands a connection on with what it has sent first; undefined when there is no room for it. */
function openUpstreamTunnel(
  { client, peer, first, callbacks }: ForwardedClient,
  { to, limiter, peers, downloads, context }: TunnelDeps,
): Tunnel | undefined {
  if (!limiter.tryAcquireTunnel(peer)) return undefined;
  const tunnel = openTunnel(client, {
    ...callbacks,
    to,
    downloads,
    onOpen: (localPort) => peers.set(localPort, peer),
    onClose(localPort) {
      if (localPort !== undefined) peers.delete(localPort);
      limiter.releaseTunnel(peer);
    },
    fail: context.fail,
    onNoResponse(why, request, error) {
      // A main process that is being restarted is told of by its supervisor, once.
      if (to.kind === "port" && error !== undefined) context.fail(error);
      client.timeout(context.idleTimeoutSeconds);
      // A Unix socket that is not there refuses the connection before the first request is handed on.
      sendUnavailable(client, (request.length === 0 ? first : request).toString("latin1"), why);
    },
  });
  if (to.kind === "socket") tunnel.forward(proxyLine(peer));
  tunnel.sendHead(first);
  return tunnel;
}

/** What was handed over may have been carried out: only of reading it is certain that it can be asked for again. */
function sendUnavailable(client: Client, request: string, why: NoResponseReason): void {
  if (why === "refused" || isReading({ method: request.slice(0, request.indexOf(" ")) }))
    client.write(unavailableText(request));
  client.end();
}

/** For what the runtime's types do not tell. */
function isAbsent(address: string | undefined): address is undefined {
  return address === undefined;
}
