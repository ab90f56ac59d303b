import type { Socket, SocketHandler } from "bun";
import { writeSome } from "./socket-write.ts";
import { type DownloadLimiter, WriteTimeout } from "./write-timeout.ts";

/** Bytes buffered for an end that does not accept them; beyond this the other end is paused. */
const unsentBytesMax = 256 * 1024;

type ChannelOptions = { closeMethod: "end" | "shutdown"; timeoutSeconds: () => number; target?: Socket<unknown> };

/**
 * One direction of a proxy connection: writes what the target accepts, buffers the rest, and pauses the source when it
 * buffers too much. While bytes are buffered the write timeout runs, so that a client that reads nothing is closed.
 */
class Channel {
  readonly #source: Socket<unknown>;
  readonly #closeMethod: "end" | "shutdown";
  /** The write timeout of the target. */
  readonly #timeoutSeconds: () => number;
  #target: Socket<unknown> | undefined;
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #isPaused = false;
  #isEnded = false;
  #isDropped = false;

  constructor(source: Socket<unknown>, { closeMethod, timeoutSeconds, target }: ChannelOptions) {
    this.#source = source;
    this.#closeMethod = closeMethod;
    this.#timeoutSeconds = timeoutSeconds;
    this.#target = target;
  }

  open(target: Socket<unknown>): void {
    this.#target = target;
    this.drain();
  }

  write(bytes: Buffer): void {
    if (this.#isDropped || bytes.length === 0) return;
    const written = this.#unsentBytes === 0 && this.#target !== undefined ? writeSome(this.#target, bytes) : 0;
    if (written >= bytes.length) return;
    // Copied, since the runtime may reuse the memory.
    const rest = Buffer.from(bytes.subarray(written));
    if (this.#unsentBytes === 0) this.#target?.timeout(this.#timeoutSeconds());
    this.#unsent.push(rest);
    this.#unsentBytes += rest.length;
    if (this.#unsentBytes > unsentBytesMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
  }

  /** True while the target has not accepted all bytes. */
  get hasUnsentBytes(): boolean {
    return this.#unsentBytes > 0;
  }

  /** Continues when the target accepts bytes again. */
  drain(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const written = this.#target === undefined ? 0 : writeSome(this.#target, next);
      // The target may have disconnected, which drops the buffered bytes.
      if (this.#unsent.length === 0) return;
      if (written > 0) this.#target?.timeout(this.#timeoutSeconds());
      this.#unsentBytes -= written;
      if (written < next.length) {
        this.#unsent[0] = next.subarray(written);
        return;
      }
      this.#unsent.shift();
    }
    this.#target?.timeout(0);
    this.#resume();
    if (this.#isEnded) this.#target?.[this.#closeMethod]();
  }

  /** Ends the target when it has accepted everything. */
  end(): void {
    this.#isEnded = true;
    if (this.#unsentBytes === 0) this.#target?.[this.#closeMethod]();
  }

  /** Drops buffered and later bytes when the target has gone, so that the source's end is noticed. */
  drop(): void {
    this.#isDropped = true;
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#resume();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#source.resume();
  }
}

/** A connection between a client and the HTTP server; bytes flow both ways until either end closes. */
export type ProxyConnection = {
  /** Forwards a request's head and expects a response. */
  sendHead(head: Buffer): void;
  /** Forwards bytes of the client. */
  forward(bytes: Buffer): void;
  /** Called when the client accepts bytes again. */
  drain(): void;
  /** True while the client has not accepted the whole response. */
  readonly hasUnsentBytes: boolean;
  /**
   * Called when the client has closed its sending side; closes the same side to the HTTP server after the last byte.
   */
  finish(): void;
  /** Called when the client has disconnected. */
  end(): void;
};

/** The other end of a proxy connection: a port on loopback, or a Unix socket. */
export type ProxyTarget = { kind: "port"; port: number } | { kind: "socket"; path: string };

/** Why a request got no response: the other end refused the connection, or closed it. */
export type NoResponseReason = "refused" | "closed";

/** What a proxy connection calls on its client's connection. */
export type ProxyCallbacks = {
  /** Returns the bytes to send to the client for a part of a response. */
  transformResponse(bytes: Buffer): Buffer;
  /** Called with each part of a response after it was sent to the client. */
  onResponse(bytes: Buffer): void;
  /**
   * Called when the other end has closed; returns true when no response was expected and the client stays connected.
   */
  onClosedIdle(): boolean;
};

/** The other end of a proxy connection, and its callbacks. */
type ProxyOptions = Partial<ProxyCallbacks> & {
  to: ProxyTarget;
  /** Shared by all proxy connections of the listener. */
  downloads: DownloadLimiter;
  /** Called with the local port before any byte is sent: the HTTP server identifies the client by it. */
  onOpen(localPort: number): void;
  /** Called once when the connection closes, with its local port; without one when it never opened. */
  onClose(localPort?: number): void;
  /** Called with errors of the connection. */
  fail(error: unknown): void;
  /** Called when the other end is unreachable or closes without a byte of a response; the callee closes the client. */
  onNoResponse(why: NoResponseReason, request: Buffer, error?: unknown): void;
};

/** Opens a proxy connection from a client's connection. */
export function openProxyConnection(client: Socket<unknown>, options: ProxyOptions): ProxyConnection {
  const { to, downloads, onOpen, onClose, fail } = options;
  const timeout = new WriteTimeout(downloads);
  const toServer = new Channel(client, { closeMethod: "shutdown", timeoutSeconds: () => downloads.seconds(false) });
  let fromServer: Channel | undefined;
  let localPort = 0;
  let isClosed = false;
  let hasResponse = false;
  let request = Buffer.alloc(0);
  const socket: SocketHandler = {
    open(server) {
      localPort = server.localPort;
      onOpen(localPort);
      fromServer = new Channel(server, { closeMethod: "end", timeoutSeconds: () => timeout.seconds, target: client });
      toServer.open(server);
      if (isClosed) toServer.end();
    },
    data(_, bytes) {
      if (isClosed) return;
      hasResponse = true;
      timeout.onResponse(bytes);
      const sent = options.transformResponse?.(bytes) ?? bytes;
      fromServer?.write(sent);
      options.onResponse?.(sent);
    },
    drain: () => toServer.drain(),
    close() {
      onClose(localPort);
      timeout.end();
      if (!isClosed && options.onClosedIdle?.() === true) return;
      if (hasResponse || isClosed) fromServer?.end();
      else options.onNoResponse("closed", request);
    },
    error(server, error) {
      fail(error);
      server.end();
    },
    connectError(_, error) {
      // Nothing will read what the client goes on to send.
      toServer.drop();
      onClose();
      options.onNoResponse("refused", request, error);
    },
  };
  // `connectError` reports the failure.
  connect(to, socket).catch(() => {});

  return {
    sendHead(head) {
      request = Buffer.from(head);
      hasResponse = false;
      this.forward(head);
    },
    forward(bytes) {
      timeout.onRequest();
      toServer.write(bytes);
    },
    drain: () => fromServer?.drain(),
    get hasUnsentBytes() {
      return fromServer?.hasUnsentBytes ?? false;
    },
    finish: () => toServer.end(),
    end() {
      isClosed = true;
      timeout.end();
      fromServer?.drop();
      toServer.end();
    },
  };
}

function connect(to: ProxyTarget, socket: SocketHandler): Promise<Socket<unknown>> {
  return to.kind === "port"
    ? Bun.connect({ hostname: "127.0.0.1", port: to.port, socket })
    : Bun.connect({ unix: to.path, socket });
}
