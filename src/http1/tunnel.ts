import type { Socket, SocketHandler } from "bun";
import { writeSome } from "./socket-write.ts";
import { type DownloadLimiter, WriteTimeout } from "./write-timeout.ts";

/** Bytes held for an end that does not take them at the moment; beyond it the other end is not read any more. */
const unsentBytesMax = 256 * 1024;

type ChannelOptions = { closeMethod: "end" | "shutdown"; timeoutSeconds: () => number; target?: Socket<unknown> };

/**
 * One direction of a tunnel: writes what it can, holds the rest, and pauses the source while it holds too much. While it
 * holds any, the target's time runs: a client that takes nothing would otherwise be kept for good.
 */
class Channel {
  readonly #source: Socket<unknown>;
  readonly #closeMethod: "end" | "shutdown";
  /** Seconds in which the target must take some of what is held. */
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
    // Copied, since the runtime may use the memory again.
    const rest = Buffer.from(bytes.subarray(written));
    if (this.#unsentBytes === 0) this.#target?.timeout(this.#timeoutSeconds());
    this.#unsent.push(rest);
    this.#unsentBytes += rest.length;
    if (this.#unsentBytes > unsentBytesMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
  }

  /** True while the target has not taken all. */
  get hasUnsentBytes(): boolean {
    return this.#unsentBytes > 0;
  }

  /** Goes on where the target had stopped taking bytes. */
  drain(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const written = this.#target === undefined ? 0 : writeSome(this.#target, next);
      // The target may be gone, and with it what was held.
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

  /** Ends the target when it has taken everything. */
  end(): void {
    this.#isEnded = true;
    if (this.#unsentBytes === 0) this.#target?.[this.#closeMethod]();
  }

  /** The target is gone: what is held and what comes is dropped, so that the source's end is seen. */
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

/** A connection handed on within this machine: bytes go both ways until either end closes. */
export type Tunnel = {
  /** Hands on a request's head: from now on its answer is waited for. */
  sendHead(head: Buffer): void;
  /** Hands on what the client has sent. */
  forward(bytes: Buffer): void;
  /** The client takes bytes again. */
  drain(): void;
  /** True while the client has not taken all that was answered. */
  readonly hasUnsentBytes: boolean;
  /** The client sends nothing more; the HTTP server is told behind its last byte. */
  finish(): void;
  /** The client has closed. */
  end(): void;
};

/** Where a tunnel leads: to a port of loopback, or to a Unix socket. */
export type TunnelTarget = { kind: "port"; port: number } | { kind: "socket"; path: string };

/** Why a tunnel brought no answer: the other end was not there, or has closed. */
export type NoResponseReason = "refused" | "closed";

/** What a client's connection is told of its tunnel. */
export type TunnelCallbacks = {
  /** The bytes that the client is sent for a part of an answer. */
  transformResponse(bytes: Buffer): Buffer;
  /** Told each part of the answers, when it is on its way to the client. */
  onResponse(bytes: Buffer): void;
  /** Told that the other end has closed; true when no request waited for an answer, and the client stays. */
  onClosedIdle(): boolean;
};

/** What a tunnel leads to, and who is told of it. */
export type TunnelOptions = Partial<TunnelCallbacks> & {
  to: TunnelTarget;
  /** Those of all tunnels of the client's front. */
  downloads: DownloadLimiter;
  /** Told the port of our own end, by which the server there can tell whose connection it is, before any byte goes. */
  onOpen(localPort: number): void;
  /** Told once, when our own end is closed, with its port; without one when it was never open. */
  onClose(localPort?: number): void;
  /** Told what went wrong on the way. */
  fail(error: unknown): void;
  /** Told that the other end cannot be reached, or has closed without a byte of an answer: to end the client. */
  onNoResponse(why: NoResponseReason, request: Buffer, error?: unknown): void;
};

/** Opens a tunnel from a client's connection. */
export function openTunnel(client: Socket<unknown>, options: TunnelOptions): Tunnel {
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
      // What the client goes on to send has nobody to read it.
      toServer.drop();
      onClose();
      options.onNoResponse("refused", request, error);
    },
  };
  // `connectError` tells the failure.
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

function connect(to: TunnelTarget, socket: SocketHandler): Promise<Socket<unknown>> {
  return to.kind === "port"
    ? Bun.connect({ hostname: "127.0.0.1", port: to.port, socket })
    : Bun.connect({ unix: to.path, socket });
}
