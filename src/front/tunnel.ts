import type { Socket } from "bun";

/** Bytes held for an end that does not take them at the moment; beyond it the other end is not read any more. */
const heldBytesMax = 256 * 1024;
/** Seconds in which an end that bytes are held for must take some; as long as the HTTP server waits. */
const takingSecondsMax = 30;

/**
 * One direction of a tunnel: writes what it can, holds the rest, and pauses the source while it holds too much. While it
 * holds any, the target's time runs: a client that takes nothing would otherwise be kept for good.
 */
class Channel {
  readonly #source: Socket<unknown>;
  readonly #ending: "end" | "shutdown";
  #target: Socket<unknown> | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isPaused = false;
  #isEnded = false;

  constructor(source: Socket<unknown>, ending: "end" | "shutdown", target?: Socket<unknown>) {
    this.#source = source;
    this.#ending = ending;
    this.#target = target;
  }

  open(target: Socket<unknown>): void {
    this.#target = target;
    this.drain();
  }

  write(bytes: Buffer): void {
    const written = this.#heldBytes === 0 && this.#target !== undefined ? this.#target.write(bytes) : 0;
    if (written < 0 || written >= bytes.length) return;
    // Copied, since the runtime may use the memory again.
    const rest = Buffer.from(bytes.subarray(written));
    if (this.#heldBytes === 0) this.#target?.timeout(takingSecondsMax);
    this.#held.push(rest);
    this.#heldBytes += rest.length;
    if (this.#heldBytes > heldBytesMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
  }

  /** Goes on where the target had stopped taking bytes. */
  drain(): void {
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const written = this.#target?.write(next) ?? 0;
      if (written < 0) return;
      if (written > 0) this.#target?.timeout(takingSecondsMax);
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

/** A connection handed on to another port of this machine: bytes go both ways unchanged until either end closes. */
export type Tunnel = {
  /** Hands on what the client has sent. */
  forward(bytes: Buffer): void;
  /** The client takes bytes again. */
  drain(): void;
  /** The client sends nothing more; the HTTP server is told behind its last byte. */
  finish(): void;
  /** The client has closed. */
  end(): void;
};

/** What a tunnel leads to, and who is told of it. */
export type TunnelOptions = {
  /** The HTTP server's, on loopback. */
  port: number;
  /** Told the port of our own end, by which the server there can tell whose connection it is, before any byte goes. */
  onOpen(localPort: number): void;
  /** Told once, when our own end is closed, with its port; without one when it was never open. */
  onClose(localPort?: number): void;
  /** Told why the HTTP server cannot be reached. */
  fail(error: unknown): void;
};

/** Opens a tunnel from a client's connection. */
export function openTunnel(client: Socket<unknown>, { port, onOpen, onClose, fail }: TunnelOptions): Tunnel {
  const inward = new Channel(client, "shutdown");
  let outward: Channel | undefined;
  let localPort = 0;
  let isClosed = false;
  const refused = (error: unknown) => {
    fail(error);
    onClose();
    client.end();
  };

  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open(server) {
        localPort = server.localPort;
        onOpen(localPort);
        outward = new Channel(server, "end", client);
        inward.open(server);
        if (isClosed) inward.end();
      },
      data: (_, bytes) => outward?.write(bytes),
      drain: () => inward.drain(),
      close() {
        onClose(localPort);
        outward?.end();
      },
      error(server, error) {
        fail(error);
        server.end();
      },
      connectError: (_, error) => refused(error),
    },
    // Told above.
  }).catch(() => {});

  return {
    forward: (bytes) => inward.write(bytes),
    drain: () => outward?.drain(),
    finish: () => inward.end(),
    end() {
      isClosed = true;
      outward?.drop();
      inward.end();
    },
  };
}
