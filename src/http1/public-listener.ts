/**
 * The listeners on the public ports: WAYPOST_PORT, and where they are set WAYPOST_HTTP_PORT and WAYPOST_HTTPS_PORT.
 *
 * 1. It answers visits of short links from the connection's bytes, without the runtime's HTTP server: parsing the
 *    request and building the response there costs more than the rest of a redirect.
 * 2. It forwards all other requests to the HTTP server on loopback: the API, the app, and unusual HTTP. It rejects
 *    requests whose end is ambiguous (request-framing.ts).
 * 3. It sends answers after the tick of the event loop, when the spool has written the clicks of the tick with one
 *    write: so no visitor has an answer whose click could be lost.
 * 4. It sends answers in the order of their requests.
 * 5. Each domain gets its share of a tick, however many requests it has: see fair-queue.ts.
 * 6. It finishes pending answers when it closes, and answers requests that were on their way: see listener-stop.ts.
 * 7. A connection with TLS is read and limited like any other once its handshake is done: see handshakes.ts.
 */

import type { Socket, SocketHandler, TCPSocketListener } from "bun";
import { fileDescriptorsMax } from "../base/file-descriptors.ts";
import { isReading } from "../base/is-reading.ts";
import type { Log } from "../base/log.ts";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import type { RedirectHandler } from "../redirects/redirect-handler.ts";
import type { PortKind } from "../redirects/redirect-request.ts";
import { Connection } from "./connection.ts";
import type { ConnectionContext } from "./connection-context.ts";
import { ConnectionLimiter, idleSecondsMax, proxyIdleSecondsMax } from "./connection-limiter.ts";
import { dateHeaderAndEnd } from "./date-header.ts";
import { FairQueue } from "./fair-queue.ts";
import { type HandshakeCounts, Handshakes } from "./handshakes.ts";
import { ListenerStop } from "./listener-stop.ts";
import { type HandedDescriptors, openPorts, type Ports } from "./ports.ts";
import {
  type NoResponseReason,
  openProxyConnection,
  type ProxyCallbacks,
  type ProxyConnection,
  type ProxyTarget,
} from "./proxy-connection.ts";
import { type ForwardedClient, proxyLine } from "./proxy-line.ts";
import { type ListenAddress, listenTls } from "./tls-listener.ts";
import { unavailableText } from "./unavailable.ts";
import { DownloadLimiter, type WriteTimeoutOptions } from "./write-timeout.ts";

/** The ports and the address to listen on, where to forward requests to, and the limits. */
export type PublicListenerOptions = Ports & {
  hostname: string;
  /** True when other processes listen on the same port; the system distributes the connections. */
  sharesPort?: boolean;
  /** Listening sockets to use instead of opening the ports. */
  handedOver?: HandedDescriptors;
  /** Where other requests are forwarded to: the HTTP server on loopback, or the main process's worker proxy. */
  to: ProxyTarget;
  log: Log;
  /** Tells whether an address is a trusted proxy, which carries many clients. Default: none is. */
  isTrusted?: (address: string) => boolean;
  /** File descriptors that the process may open. Default: the system's limit. */
  fileDescriptorsMax?: number;
  /** Idle timeout of a connection; the runtime checks every four seconds. */
  idleTimeoutSeconds?: number;
  /** Idle timeout of a trusted proxy's connection. */
  proxyIdleTimeoutSeconds?: number;
  /** Bytes of a request body. Default: the largest that an operation accepts. */
  bodyBytesMax?: number;
  /** Write timeouts of forwarded responses. */
  writeTimeouts?: WriteTimeoutOptions;
  /** Monotonic time in milliseconds. */
  now?: () => number;
};

/** What a listener needs in addition to answer visits. */
type AnsweringOptions = {
  /** Error bodies link to the documentation there. */
  appUrl?: URL;
  /** The certificates for handshakes. Without them, each handshake gets an alert. */
  certificates?: CertificateSource;
};

/** An open public listener. */
export type PublicListener = Readonly<Ports> & {
  /** Starts to answer visits; before, every request is forwarded. */
  startAnswering(redirectHandler: RedirectHandler, options?: AnsweringOptions): void;
  /** The client of a connection that the HTTP server sees from this loopback port. */
  clientOf(localPort: number): ForwardedClient | undefined;
  /** Descriptors in use by connections, how many connections the limits refused, and all TLS handshakes by outcome. */
  connections(): { taken: number; refused: number; handshakes: Readonly<Partial<HandshakeCounts>> };
  /**
   * Accepts no more connections, answers one more request of each open one for a moment, and then closes the idle ones. Resolves
   * when they are closed.
   */
  stopAccepting(): Promise<void>;
  /**
   * Stops accepting, and resolves when the last connection is closed; forwarded ones end with those of the HTTP server.
   */
  stop(): Promise<void>;
  /** Closes the remaining connections. */
  close(): void;
};

/** File descriptors that a service on the Internet should be allowed to open. */
const descriptorsAdvised = 4_096;

/** Starts to listen. Throws PortError when a port is in use or the address is not this machine's. */
export function openPublicListener(options: PublicListenerOptions): PublicListener {
  const { to, log, isTrusted = () => false, now = () => performance.now() } = options;
  const fairQueue = new FairQueue();
  const connections = new Set<Connection>();
  const clients = new Map<number, ForwardedClient>();
  const downloads = new DownloadLimiter(options.writeTimeouts);
  const limiter = openLimiter({ ...options, isTrusted });

  const context: ConnectionContext<Connection> = {
    get idleTimeoutSeconds() {
      return limiter.idleSeconds;
    },
    isStopping: () => stopping.hasBegun,
    idleTimeoutsMax: (address) => (isTrusted(address) ? proxyIdleTimeoutsMax(options) : 1),
    bodyBytesMax: options.bodyBytesMax,
    paused: { bytes: 0 },
    now,
    redirectHandler: forwardEverything,
    domainQueue: (authority) => fairQueue.queueOf(context.redirectHandler.domainOf(authority)),
    sendAfterTick: batchPerTick(
      (send) => context.redirectHandler.afterTick(() => send(context.now())),
      (error) => context.fail(error),
    ),
    fail: (error) => log.error("A request failed.", { error }),
    proxy: (client, from, first, callbacks) =>
      openUpstreamConnection({ client, from, first, callbacks }, { to, limiter, clients, downloads, context }),
    onClose(connection) {
      // Connections that the limiter refused are not in the set.
      if (connections.delete(connection)) limiter.release(connection.peer);
      stopping.onClose();
    },
  };
  const handshakes = new Handshakes({ log, isTrusted, now, idleSeconds: () => limiter.idleSeconds });
  const { ports, listeners } = openPorts(options, (kind, port) =>
    listenOn(kind, { ...options, port }, { context, connections, limiter, handshakes, log }),
  );

  const stopping = new ListenerStop({
    connections,
    closeListeners() {
      for (const listener of listeners) listener.stop(false);
    },
    endHandshakes: () => handshakes.stop(),
  });

  return {
    ...ports,
    startAnswering(redirectHandler, { appUrl, certificates } = {}) {
      Object.assign(context, { redirectHandler, appUrl });
      if (certificates !== undefined) handshakes.start(certificates);
    },
    clientOf: (localPort) => clients.get(localPort),
    connections: () => ({
      taken: limiter.taken,
      refused: limiter.refused + handshakes.refused,
      handshakes: handshakes.counts,
    }),
    stopAccepting: () => stopping.begin(),
    async stop() {
      await stopping.begin();
      await stopping.allClosed;
    },
    close() {
      for (const listener of listeners) listener.stop(true);
    },
  };
}

function proxyIdleTimeoutsMax({
  idleTimeoutSeconds = idleSecondsMax,
  proxyIdleTimeoutSeconds = proxyIdleSecondsMax,
}: PublicListenerOptions): number {
  return Math.ceil(proxyIdleTimeoutSeconds / idleTimeoutSeconds);
}

function openLimiter({
  log,
  isTrusted,
  idleTimeoutSeconds: idleSeconds = idleSecondsMax,
  fileDescriptorsMax: descriptors = fileDescriptorsMax(),
}: PublicListenerOptions & Pick<Required<PublicListenerOptions>, "isTrusted">): ConnectionLimiter {
  if (descriptors < descriptorsAdvised) {
    log.warn("The limit of open files is low, and connections beyond it are refused. Raise the limit (ulimit -n).", {
      limit: descriptors,
      advised: descriptorsAdvised,
    });
  }
  return new ConnectionLimiter({ fileDescriptorsMax: descriptors, isTrusted, idleSeconds });
}

type PortDeps = {
  context: ConnectionContext<Connection>;
  connections: Set<Connection>;
  limiter: ConnectionLimiter;
  handshakes: Handshakes;
  log: Log;
};

function listenOn(
  kind: PortKind,
  { port, hostname, sharesPort, handedOver }: PublicListenerOptions,
  deps: PortDeps,
): TCPSocketListener<Connection> {
  const fd = handedOver?.[kind];
  // Two services on one port would lose each other's clicks: only processes of one service may share it.
  const exclusively = sharesPort ? { reusePort: true } : { exclusive: true };
  const options: ListenAddress = { port, hostname, ...(fd === undefined ? exclusively : { fd }) };
  const socket = handlers(kind, deps);
  if (kind === "https") return listenTls<Connection>(options, deps.handshakes.handlers(socket));
  // A client that has closed its sending side still gets its answers.
  return Bun.listen<Connection>({ ...options, allowHalfOpen: true, socket });
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

function handlers(port: PortKind, { context, connections, limiter, handshakes, log }: PortDeps) {
  return {
    open(client) {
      const connection = new Connection(client, port, context);
      client.data = connection;
      const refusal = refusalOf(connection.peer);
      if (refusal === undefined) {
        connections.add(connection);
        client.timeout(context.idleTimeoutSeconds);
        if (port === "https") handshakes.begin(client);
        return;
      }
      if (refusal.text !== undefined) log.warn(refusal.text, { taken: limiter.taken });
      client.terminate();
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
  } satisfies SocketHandler<Connection>;

  function refusalOf(peer: string | undefined): { text?: string } | undefined {
    // A connection that was reset before it was accepted has no address and needs no answer.
    if (peer === undefined) return {};
    if (port === "https" && !handshakes.tryBegin(peer)) {
      return { text: "A connection was refused, because its network, or all together, begin too many TLS handshakes." };
    }
    if (limiter.tryAcquire(peer)) return undefined;
    return { text: "A connection was refused, because too many are open, in total or of its network." };
  }
}

type Forwarded = { client: Socket<Connection>; from: ForwardedClient; first: Buffer; callbacks: ProxyCallbacks };
type ProxyDeps = Pick<PublicListenerOptions, "to"> & {
  limiter: ConnectionLimiter;
  clients: Map<number, ForwardedClient>;
  downloads: DownloadLimiter;
  context: ConnectionContext<Connection>;
};

/**
 * Opens a proxy connection to the HTTP server and forwards the first bytes; undefined when the limits allow no proxy
 * connection.
 */
function openUpstreamConnection(
  { client, from, first, callbacks }: Forwarded,
  { to, limiter, clients, downloads, context }: ProxyDeps,
): ProxyConnection | undefined {
  if (!limiter.tryAcquireProxy(from.peer)) return undefined;
  const proxy = openProxyConnection(client, {
    ...callbacks,
    to,
    downloads,
    onOpen: (localPort) => clients.set(localPort, from),
    onClose(localPort) {
      if (localPort !== undefined) clients.delete(localPort);
      limiter.releaseProxy(from.peer);
    },
    fail: context.fail,
    onNoResponse(why, request, error) {
      // The supervisor logs once that the main process restarts, and an HTTP server that stops refuses connections.
      if (to.kind === "port" && error !== undefined && !context.isStopping()) context.fail(error);
      client.timeout(context.idleTimeoutSeconds);
      // A missing Unix socket refuses the connection before the first request is forwarded.
      sendUnavailable(client, (request.length === 0 ? first : request).toString("latin1"), why);
    },
  });
  if (to.kind === "socket") proxy.forward(proxyLine(from));
  proxy.sendHead(first);
  return proxy;
}

/** The server may have executed the request: only a GET or HEAD is safe to retry. */
function sendUnavailable(client: Socket<Connection>, request: string, why: NoResponseReason): void {
  if (why === "refused" || isReading({ method: request.slice(0, request.indexOf(" ")) }))
    client.write(unavailableText(request));
  client.end();
}
