/**
 * Accepts, in the main process, the connections that redirect workers forward over a Unix socket. Only Waypost's own
 * user can connect to that socket, so the PROXY line at the beginning is trusted. The bytes after it come from the
 * client, and are forwarded unchanged to the HTTP server on loopback.
 */
import type { Socket, SocketHandler } from "bun";
import { fileDescriptorsMax } from "../base/file-descriptors.ts";
import type { Log } from "../base/log.ts";
import { makeSocketPrivate, prepareSocketPath } from "../base/socket-file.ts";
import { ConnectionLimiter } from "./connection-limiter.ts";
import { openProxyConnection, type ProxyConnection } from "./proxy-connection.ts";
import { type ForwardedClient, parseProxyLine } from "./proxy-line.ts";
import type { PublicListener } from "./public-listener.ts";
import { DownloadLimiter } from "./write-timeout.ts";

/** The socket's path and the HTTP server's port on loopback. */
type WorkerProxyOptions = { path: string; serverPort: number; log: Log };

/** A listener without a port that answers no request itself. */
type WorkerProxy = Pick<PublicListener, "clientOf" | "connections" | "stopAccepting" | "stop" | "close">;

type WorkerConnection = { received: Buffer; proxy: ProxyConnection | undefined; hasClientEnded: boolean };

/** Listens on the socket, and replaces a socket file that a crash left behind. Throws when the path cannot be used. */
export function openWorkerProxy({ path, serverPort, log }: WorkerProxyOptions): WorkerProxy {
  // The workers have already applied the limit of each network, so here all clients count as one address.
  const limiter = new ConnectionLimiter({
    fileDescriptorsMax: fileDescriptorsMax(),
    isTrusted: () => true,
    idleSeconds: 0,
  });
  const clients = new Map<number, ForwardedClient>();
  const downloads = new DownloadLimiter();
  const connections = new Set<Socket<WorkerConnection>>();
  const allClosed = Promise.withResolvers<void>();
  let isStopping = false;
  const fail = (error: unknown) => log.error("A request failed.", { error });

  function forwardClient(worker: Socket<WorkerConnection>, client: ForwardedClient, firstBytes: Buffer): void {
    if (!limiter.tryAcquireProxy("")) {
      worker.terminate();
      return;
    }
    const proxy = openProxyConnection(worker, {
      to: { kind: "port", port: serverPort },
      downloads,
      onOpen: (localPort) => clients.set(localPort, client),
      onClose(localPort) {
        if (localPort !== undefined) clients.delete(localPort);
        limiter.releaseProxy("");
      },
      fail,
      onNoResponse(_, __, error) {
        if (error !== undefined) fail(error);
        // The worker sends the client an error.
        worker.end();
      },
    });
    worker.data.proxy = proxy;
    if (firstBytes.length > 0) proxy.forward(firstBytes);
    if (worker.data.hasClientEnded) proxy.finish();
  }

  prepareSocketPath(path);
  const listener = Bun.listen<WorkerConnection>({
    unix: path,
    allowHalfOpen: true,
    socket: {
      ...socketHandlers(forwardClient, fail),
      open(worker) {
        worker.data = { received: Buffer.alloc(0), proxy: undefined, hasClientEnded: false };
        if (limiter.tryAcquire("")) connections.add(worker);
        else worker.terminate();
      },
      close(worker) {
        worker.data.proxy?.end();
        if (connections.delete(worker)) limiter.release("");
        if (connections.size === 0 && isStopping) allClosed.resolve();
      },
    },
  });
  makeSocketPrivate(path);

  return {
    clientOf: (localPort) => clients.get(localPort),
    connections: () => ({ taken: limiter.taken, refused: limiter.refused, handshakes: {} }),
    // The workers answer the last requests of their clients.
    async stopAccepting() {},
    stop() {
      isStopping = true;
      listener.stop(false);
      if (connections.size === 0) allClosed.resolve();
      return allClosed.promise;
    },
    close: () => listener.stop(true),
  };
}

type ForwardClient = (worker: Socket<WorkerConnection>, client: ForwardedClient, firstBytes: Buffer) => void;

/** Parses the PROXY line, then forwards all bytes. */
function socketHandlers(forwardClient: ForwardClient, fail: (error: unknown) => void): SocketHandler<WorkerConnection> {
  return {
    data(worker, bytes) {
      const { proxy } = worker.data;
      if (proxy !== undefined) {
        proxy.forward(bytes);
        return;
      }
      const received = Buffer.concat([worker.data.received, bytes]);
      const line = parseProxyLine(received);
      if (line.kind === "line") forwardClient(worker, line.client, received.subarray(line.length));
      else if (line.kind === "incomplete") worker.data.received = received;
      else worker.terminate();
    },
    drain: (worker) => worker.data.proxy?.drain(),
    end(worker) {
      worker.data.hasClientEnded = true;
      if (worker.data.proxy === undefined) worker.end();
      else worker.data.proxy.finish();
    },
    error(worker, error) {
      fail(error);
      worker.end();
    },
  };
}
