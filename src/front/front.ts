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
import type { Log } from "../base/log.ts";
import type { Visits } from "../redirects/short-host.ts";
import { Admission } from "./admission.ts";
import { Connection, idleSecondsMax } from "./connection.ts";
import { greeting } from "./greeting.ts";
import { headEnd } from "./head-end.ts";
import { Lines } from "./lines.ts";
import type { Client, Shared } from "./shared.ts";
import { Downloads, type TakingBounds } from "./taking-time.ts";
import { openTunnel, type Tunnel, type TunnelEnd, type TunnelWatch, type Unanswered } from "./tunnel.ts";
import { isReading, unavailableText } from "./unavailable.ts";

/** What the front needs: how to answer visits, and where all other requests go. */
export type FrontOptions = {
  port: number;
  hostname: string;
  /** Whether other processes listen on the same port, so that the system shares the connections out. */
  sharesPort?: boolean;
  /** Where all else is handed to: the HTTP server on loopback, or the main process's relay. */
  to: TunnelEnd;
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
  taking?: TakingBounds;
  /** Milliseconds that only move on. */
  now?: () => number;
};

/** The port the world sees. */
export type Front = {
  readonly port: number;
  /** From now on visits are answered; before, everything is handed on. Error bodies link to the app's documentation. */
  answerWith(visits: Visits, appUrl?: URL): void;
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
export function openFront(options: FrontOptions): Front {
  const { port, hostname, sharesPort = false, to, log } = options;
  const lines = new Lines();
  const connections = new Set<Connection>();
  const allClosed = Promise.withResolvers<void>();
  let isStopping = false;
  const peers = new Map<number, string>();
  const downloads = new Downloads(options.taking);
  const descriptors = options.fileDescriptorsMax ?? fileDescriptorsMax();
  const admission = new Admission({
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

  const shared: Shared = {
    get idleTimeoutSeconds() {
      return admission.idleSeconds;
    },
    bodyBytesMax: options.bodyBytesMax,
    held: { bytes: 0 },
    now: options.now ?? (() => performance.now()),
    visits: notYet,
    line: (authority) => lines.of(shared.visits.domainOf(authority)),
    ready: gathering(
      (send) => shared.visits.afterTick(() => send(shared.now())),
      (error) => shared.fail(error),
    ),
    fail: (error) => log.error("A request failed.", { error }),
    tunnel: (client, peer, first, watch) =>
      handOn({ client, peer, first, watch }, { to, admission, peers, downloads, shared }),
    closed(connection) {
      // Those that were turned away are not among them.
      if (connections.delete(connection)) admission.leave(connection.peer);
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
    socket: handlers(shared, connections, { admission, log }),
  });

  return {
    port: listener.port,
    answerWith(visits, appUrl) {
      Object.assign(shared, { visits, appUrl });
    },
    peerOf: (localPort) => peers.get(localPort),
    connections: () => ({ taken: admission.taken, refused: admission.refused }),
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
const notYet: Visits = { answer: () => undefined, domainOf: () => "", afterTick: setImmediate, onSent() {} };

/**
 * Gathers the connections whose answer is ready, and has them send it together when `afterTurn` calls back. What fails
 * for one of them keeps no other from sending.
 */
function gathering(afterTick: (send: (now: number) => void) => void, fail: (error: unknown) => void): Shared["ready"] {
  let ready: Connection[] = [];
  const send = (now: number) => {
    const connections = ready;
    ready = [];
    const end = headEnd();
    for (const connection of connections) {
      try {
        connection.sendReady(now, end);
      } catch (error) {
        fail(error);
        connection.silent();
      }
    }
  };
  return (connection) => {
    if (ready.push(connection) === 1) afterTick(send);
  };
}

function handlers(
  shared: Shared,
  connections: Set<Connection>,
  { admission, log }: { admission: Admission; log: Log },
): SocketHandler<Connection> {
  return {
    open(client) {
      const connection = new Connection(client, shared);
      client.data = connection;
      // One that was reset before it was taken has no address any more, and nobody to answer.
      if (isAbsent(connection.peer) || !admission.enter(connection.peer)) {
        if (!isAbsent(connection.peer)) {
          log.warn("A connection was refused: too many are open, of all clients or of its network.", {
            taken: admission.taken,
          });
        }
        client.terminate();
        return;
      }
      connections.add(connection);
      client.timeout(shared.idleTimeoutSeconds);
    },
    data: (client, bytes) => client.data.receive(bytes),
    drain: (client) => client.data.drain(),
    end: (client) => client.data.allSent(),
    timeout: (client) => client.data.silent(),
    close: (client) => client.data.closed(),
    error(client, error) {
      shared.fail(error);
      client.end();
    },
  };
}

type Handed = { client: Client; peer: string; first: Buffer; watch: TunnelWatch };
type Way = Pick<FrontOptions, "to"> & {
  admission: Admission;
  peers: Map<number, string>;
  downloads: Downloads;
  shared: Shared;
};

/** Hands a connection on with what it has sent first; undefined when there is no room for it. */
function handOn(
  { client, peer, first, watch }: Handed,
  { to, admission, peers, downloads, shared }: Way,
): Tunnel | undefined {
  if (!admission.enterTunnel(peer)) return undefined;
  const tunnel = openTunnel(client, {
    ...watch,
    to,
    downloads,
    onOpen: (localPort) => peers.set(localPort, peer),
    onClose(localPort) {
      if (localPort !== undefined) peers.delete(localPort);
      admission.leaveTunnel(peer);
    },
    fail: shared.fail,
    unanswered(why, request, error) {
      // A main process that is being restarted is told of by its supervisor, once.
      if (to.kind === "port" && error !== undefined) shared.fail(error);
      client.timeout(shared.idleTimeoutSeconds);
      // A Unix socket that is not there refuses the connection before the first request is handed on.
      sayUnavailable(client, (request.length === 0 ? first : request).toString("latin1"), why);
    },
  });
  if (to.kind === "socket") tunnel.forward(greeting(peer));
  tunnel.ask(first);
  return tunnel;
}

/** What was handed over may have been carried out: only of reading it is certain that it can be asked for again. */
function sayUnavailable(client: Client, request: string, why: Unanswered): void {
  if (why === "refused" || isReading(request)) client.write(unavailableText(request));
  client.end();
}

/** For what the runtime's types do not tell. */
function isAbsent(address: string | undefined): address is undefined {
  return address === undefined;
}
