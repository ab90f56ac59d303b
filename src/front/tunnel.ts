import type { Socket, SocketHandler } from "bun";
import { type Downloads, TakingTime } from "./taking-time.ts";
import { writeSome } from "./write.ts";

/** Bytes held for an end that does not take them at the moment; beyond it the other end is not read any more. */
const heldBytesMax = 256 * 1024;

type ChannelOptions = { ending: "end" | "shutdown"; takingSeconds: () => number; target?: Socket<unknown> };

/**
 * One direction of a tunnel: writes what it can, holds the rest, and pauses the source while it holds too much. While it
 * holds any, the target's time runs: a client that takes nothing would otherwise be kept for good.
 */
class Channel {
  readonly #source: Socket<unknown>;
  readonly #ending: "end" | "shutdown";
  /** Seconds in which the target must take some of what is held. */
  readonly #takingSeconds: () => number;
  #target: Socket<unknown> | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isPaused = false;
  #isEnded = false;
  #isDropped = false;

  constructor(source: Socket<unknown>, { ending, takingSeconds, target }: ChannelOptions) {
    this.#source = source;
    this.#ending = ending;
    this.#takingSeconds = takingSeconds;
    this.#target = target;
  }

  open(target: Socket<unknown>): void {
    this.#target = target;
    this.drain();
  }

  write(bytes: Buffer): void {
    if (this.#isDropped || bytes.length === 0) return;
    const written = this.#heldBytes === 0 && this.#target !== undefined ? writeSome(this.#target, bytes) : 0;
    if (written >= bytes.length) return;
    // Copied, since the runtime may use the memory again.
    const rest = Buffer.from(bytes.subarray(written));
    if (this.#heldBytes === 0) this.#target?.timeout(this.#takingSeconds());
    this.#held.push(rest);
    this.#heldBytes += rest.length;
    if (this.#heldBytes > heldBytesMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
  }

  /** True while the target has not taken all. */
  get holds(): boolean {
    return this.#heldBytes > 0;
  }

  /** Goes on where the target had stopped taking bytes. */
  drain(): void {
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const written = this.#target === undefined ? 0 : writeSome(this.#target, next);
      // The target may be gone, and with it what was held.
      if (this.#held.length === 0) return;
      if (written > 0) this.#target?.timeout(this.#takingSeconds());
      this.#heldBytes -= written;
      if (written < next.length) {
        this.#held[0] = next.subarray(written);
        return;
      }
      this.#held.shift();
    }
    this.#target?.timeout(0);
    this.#resume();
    if (this.#isEnded) this.#target?.[this.#ending]();
  }

  /** Ends the target when it has taken everything. */
  end(): void {
    this.#isEnded = true;
    if (this.#heldBytes === 0) this.#target?.[this.#ending]();
  }

  /** The target is gone: what is held and what comes is dropped, so that the source's end is seen. */
  drop(): void {
    this.#isDropped = true;
    this.#held = [];
    this.#heldBytes = 0;
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
  ask(head: Buffer): void;
  /** Hands on what the client has sent. */
  forward(bytes: Buffer): void;
  /** The client takes bytes again. */
  drain(): void;
  /** True while the client has not taken all that was answered. */
  readonly isAnswering: boolean;
  /** The client sends nothing more; the HTTP server is told behind its last byte. */
  finish(): void;
  /** The client has closed. */
  end(): void;
};

/** Where a tunnel leads: to a port of loopback, or to a Unix socket. */
export type TunnelEnd = { kind: "port"; port: number } | { kind: "socket"; path: string };

/** Why a tunnel brought no answer: the other end was not there, or has closed. */
export type Unanswered = "refused" | "closed";

/** What a client's connection is told of its tunnel. */
export type TunnelWatch = {
  /** The bytes that the client is sent for a part of an answer. */
  toClient(bytes: Buffer): Buffer;
  /** Told each part of the answers, when it is on its way to the client. */
  onAnswer(bytes: Buffer): void;
  /** Told that the other end has closed; true when no request waited for an answer, and the client stays. */
  onClosedIdle(): boolean;
};

/** What a tunnel leads to, and who is told of it. */
export type TunnelOptions = Partial<TunnelWatch> & {
  to: TunnelEnd;
  /** Those of all tunnels of the client's front. */
  downloads: Downloads;
  /** Told the port of our own end, by which the server there can tell whose connection it is, before any byte goes. */
  onOpen(localPort: number): void;
  /** Told once, when our own end is closed, with its port; without one when it was never open. */
  onClose(localPort?: number): void;
  /** Told what went wrong on the way. */
  fail(error: unknown): void;
  /** Told that the other end cannot be reached, or has closed without a byte of an answer: to end the client. */
  unanswered(why: Unanswered, request: Buffer, error?: unknown): void;
};

/** Opens a tunnel from a client's connection. */
export function openTunnel(client: Socket<unknown>, options: TunnelOptions): Tunnel {
  const { to, downloads, onOpen, onClose, fail } = options;
  const time = new TakingTime(downloads);
  const inward = new Channel(client, { ending: "shutdown", takingSeconds: () => downloads.seconds(false) });
  let outward: Channel | undefined;
  let localPort = 0;
  let isClosed = false;
  let isAnswered = false;
  let request = Buffer.alloc(0);
  const socket: SocketHandler = {
    open(server) {
      localPort = server.localPort;
      onOpen(localPort);
      outward = new Channel(server, { ending: "end", takingSeconds: () => time.seconds, target: client });
      inward.open(server);
      if (isClosed) inward.end();
    },
    data(_, bytes) {
      if (isClosed) return;
      isAnswered = true;
      time.answered(bytes);
      const sent = options.toClient?.(bytes) ?? bytes;
      outward?.write(sent);
      options.onAnswer?.(sent);
    },
    drain: () => inward.drain(),
    close() {
      onClose(localPort);
      time.end();
      if (!isClosed && options.onClosedIdle?.() === true) return;
      if (isAnswered || isClosed) outward?.end();
      else options.unanswered("closed", request);
    },
    error(server, error) {
      fail(error);
      server.end();
    },
    connectError(_, error) {
      // What the client goes on to send has nobody to read it.
      inward.drop();
      onClose();
      options.unanswered("refused", request, error);
    },
  };
  // `connectError` tells the failure.
  connect(to, socket).catch(() => {});

  return {
    ask(head) {
      request = Buffer.from(head);
      isAnswered = false;
      this.forward(head);
    },
    forward(bytes) {
      time.asked();
      inward.write(bytes);
    },
    drain: () => outward?.drain(),
    get isAnswering() {
      return outward?.holds ?? false;
    },
    finish: () => inward.end(),
    end() {
      isClosed = true;
      time.end();
      outward?.drop();
      inward.end();
    },
  };
}

function connect(to: TunnelEnd, socket: SocketHandler): Promise<Socket<unknown>> {
  return to.kind === "port"
    ? Bun.connect({ hostname: "127.0.0.1", port: to.port, socket })
    : Bun.connect({ unix: to.path, socket });
}
