/**
 * The listener on the public port.
 *
 * 1. It answers visits of short links from the connection's bytes, without the runtime's HTTP server: parsing the
 *    request and building the response there costs more than the rest of a redirect.
 * 2. It forwards all other requests to the HTTP server on loopback: the API, the app, and unusual HTTP. It rejects
 *    requests whose end is ambiguous (request-framing.ts).
 * 3. It sends answers after the tick of the event loop, when the spool has written the clicks of the tick with one
 *    write: so no visitor has an answer whose click could be lost.
 * 4. It sends answers in the order of their requests.
 * 5. Each domain gets its share of a tick, however many requests it has: see fair-queue.ts.
 * 6. It finishes pending answers when it closes.
 */

import type { Socket, SocketHandler, TCPSocketListener } from "bun";
import { fileDescriptorsMax } from "../base/file-descriptors.ts";
import { isReading } from "../base/is-reading.ts";
import type { Log } from "../base/log.ts";
import type { RedirectHandler } from "../redirects/redirect-handler.ts";
import { Connection, idleSecondsMax } from "./connection.ts";
import type { ConnectionContext } from "./connection-context.ts";
import { ConnectionLimiter } from "./connection-limiter.ts";
import { dateHeaderAndEnd } from "./date-header.ts";
import { FairQueue } from "./fair-queue.ts";
import {
  type NoResponseReason,
  openProxyConnection,
  type ProxyCallbacks,
  type ProxyConnection,
  type ProxyTarget,
} from "./proxy-connection.ts";
import { proxyLine } from "./proxy-line.ts";
import { unavailableText } from "./unavailable.ts";
import { DownloadLimiter, type WriteTimeoutOptions } from "./write-timeout.ts";

/** The address to listen on, where to forward requests to, and the limits. */
export type PublicListenerOptions = {
  port: number;
  hostname: string;
  /** True when other processes listen on the same port; the system distributes the connections. */
  sharesPort?: boolean;
  /** Where other requests are forwarded to: the HTTP server on loopback, or the main process's worker proxy. */
  to: ProxyTarget;
  log: Log;
  /** Tells whether an address is a trusted proxy, which carries many clients. Default: none is. */
  isTrusted?: (address: string) => boolean;
  /** File descriptors that the process may open. Default: the system's limit. */
  fileDescriptorsMax?: number;
  /** Idle timeout of a connection; the runtime checks every four seconds. */
  idleTimeoutSeconds?: number;
  /** Bytes of a request body. Default: the largest that an operation accepts. */
  bodyBytesMax?: number;
  /** Write timeouts of forwarded responses. */
  writeTimeouts?: WriteTimeoutOptions;
  /** Monotonic time in milliseconds. */
  now?: () => number;
};

/** An open public listener. */
export type PublicListener = {
  readonly port: number;
  /**
   * Starts to answer visits; before, every request is forwarded. Error bodies link to the documentation at `appUrl`.
   */
  startAnswering(redirectHandler: RedirectHandler, appUrl?: URL): void;
  /** The client's address for a connection that the HTTP server sees from this loopback port. */
  peerOf(localPort: number): string | undefined;
  /** Descriptors in use by connections, and how many connections were refused because of the limits. */
  connections(): { taken: number; refused: number };
  /**
   * Accepts no more connections and closes the idle ones; forwarded ones end with those of the HTTP server.
   * Resolves when the last one is closed.
   */
  stop(): Promise<void>;
  /** Closes the remaining connections. */
  close(): void;
};

/** File descriptors that a service on the Internet should be allowed to open. */
const descriptorsAdvised = 4_096;

/** Starts to listen. Throws when the port is in use or the address is not this machine's. */
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
    log.warn("The limit of open files is low, and connections beyond it are refused. Raise the limit (ulimit -n).", {
      limit: descriptors,
      advised: descriptorsAdvised,
    });
  }

  const context: ConnectionContext<Connection> = {
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
    proxy: (client, peer, first, callbacks) =>
      openUpstreamConnection({ client, peer, first, callbacks }, { to, limiter, peers, downloads, context }),
    onClose(connection) {
      // Connections that the limiter refused are not in the set.
      if (connections.delete(connection)) limiter.release(connection.peer);
      if (connections.size === 0 && isStopping) allClosed.resolve();
    },
  };

  const listener: TCPSocketListener<Connection> = Bun.listen<Connection>({
    port,
    hostname,
    // Two services on one port would lose each other's clicks: only processes of one service may share it.
    ...(sharesPort ? { reusePort: true } : { exclusive: true }),
    // A client that has closed its sending side still gets its answers.
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

/** Used until visits are answered. */
const forwardEverything: RedirectHandler = {
  answer: () => undefined,
  domainOf: () => "",
  afterTick: setImmediate,
  onSent() {},
};

/**
 * Collects the connections that have an answer, and sends the answers when `afterTick` calls back. A connection that
 * fails does not keep the others from sending.
 */
function batchPerTick(
  afterTick: (send: (now: number) => void) => void,
  fail: (error: unknown) => void,
): ConnectionContext<Connection>["sendAfterTick"] {
  let pending: Connection[] = [];
  const send = (now: number) => {
    const connections = pending;
    pending = [];
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
    if (pending.push(connection) === 1) afterTick(send);
  };
}

function handlers(
  context: ConnectionContext<Connection>,
  connections: Set<Connection>,
  { limiter, log }: { limiter: ConnectionLimiter; log: Log },
): SocketHandler<Connection> {
  return {
    open(client) {
      const connection = new Connection(client, context);
      client.data = connection;
      // A connection that was reset before it was accepted has no address and needs no answer.
      if (isAbsent(connection.peer) || !limiter.tryAcquire(connection.peer)) {
        if (!isAbsent(connection.peer)) {
          log.warn("A connection was refused, because too many are open, in total or of its network.", {
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

type ForwardedClient = { client: Socket<Connection>; peer: string; first: Buffer; callbacks: ProxyCallbacks };
type ProxyDeps = Pick<PublicListenerOptions, "to"> & {
  limiter: ConnectionLimiter;
  peers: Map<number, string>;
  downloads: DownloadLimiter;
  context: ConnectionContext<Connection>;
};

/**
 * Opens a proxy connection to the HTTP server and forwards the first bytes; undefined when the limits allow no proxy
 * connection.
 */
function openUpstreamConnection(
  { client, peer, first, callbacks }: ForwardedClient,
  { to, limiter, peers, downloads, context }: ProxyDeps,
): ProxyConnection | undefined {
  if (!limiter.tryAcquireProxy(peer)) return undefined;
  const proxy = openProxyConnection(client, {
    ...callbacks,
    to,
    downloads,
    onOpen: (localPort) => peers.set(localPort, peer),
    onClose(localPort) {
      if (localPort !== undefined) peers.delete(localPort);
      limiter.releaseProxy(peer);
    },
    fail: context.fail,
    onNoResponse(why, request, error) {
      // The supervisor logs once that the main process restarts.
      if (to.kind === "port" && error !== undefined) context.fail(error);
      client.timeout(context.idleTimeoutSeconds);
      // A missing Unix socket refuses the connection before the first request is forwarded.
      sendUnavailable(client, (request.length === 0 ? first : request).toString("latin1"), why);
    },
  });
  if (to.kind === "socket") proxy.forward(proxyLine(peer));
  proxy.sendHead(first);
  return proxy;
}

/** The server may have executed the request: only a GET or HEAD is safe to retry. */
function sendUnavailable(client: Socket<Connection>, request: string, why: NoResponseReason): void {
  if (why === "refused" || isReading({ method: request.slice(0, request.indexOf(" ")) }))
    client.write(unavailableText(request));
  client.end();
}

/** The runtime's types leave this case out. */
function isAbsent(address: string | undefined): address is undefined {
  return address === undefined;
}
