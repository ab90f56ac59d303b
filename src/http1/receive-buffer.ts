import { minuteMs } from "../base/time.ts";
import { ByteBuffer } from "./byte-buffer.ts";

/** Bytes of pipelined requests; beyond them the client's socket is paused. */
const bufferedBytesMax = 16 * 1024;
/** Bytes buffered by all paused connections of a listener: one read may bring half a mebibyte. */
const pausedBytesMax = 32 * 1024 ** 2;

/** Browsers send a head in one packet; a head that takes longer than this is an attack. */
const headTimeMaxMs = minuteMs / 2;

/** The part of a client's socket that pauses it. */
type PausableSocket = { pause(): unknown; resume(): unknown };
/** Shared by the buffers of a listener: the bytes of paused connections, and monotonic time in milliseconds. */
type SharedBudget = { readonly paused: { bytes: number }; now(): number };

/** Received bytes that are not answered yet: an incomplete head, or requests that wait for an earlier answer. */
export class ReceiveBuffer {
  readonly #client: PausableSocket;
  readonly #context: SharedBudget;
  #buffer: ByteBuffer | undefined;
  #isPaused = false;
  /** This connection's part of the shared count. */
  #pausedBytes = 0;
  /** When its first bytes were received. */
  receivedAt = 0;

  constructor(client: PausableSocket, context: SharedBudget) {
    this.#client = client;
    this.#context = context;
  }

  /** The buffered bytes; undefined for none. */
  get buffer(): ByteBuffer | undefined {
    return this.#buffer;
  }

  /** True when the buffered bytes are an incomplete head that takes too long. */
  get isLate(): boolean {
    return this.#context.now() - this.receivedAt > headTimeMaxMs;
  }

  /** Appends received bytes. */
  append(bytes: Buffer): void {
    if (this.#buffer === undefined) this.set(new ByteBuffer(bytes));
    else this.#buffer = this.#buffer.with(bytes);
  }

  /** Replaces the buffered bytes. */
  set(buffer: ByteBuffer): void {
    this.#buffer = buffer;
    this.receivedAt = this.#context.now();
  }

  /** Removes and returns the buffered bytes. */
  take(): ByteBuffer | undefined {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    return buffer;
  }

  /** Pauses the client when too much is buffered; false when all connections together buffer too much. */
  pauseWhenFull(): boolean {
    if (this.#buffer === undefined) return true;
    if (this.#buffer.bytes.length - this.#buffer.start <= bufferedBytesMax) return true;
    this.#isPaused = true;
    this.#client.pause();
    this.#countPaused(this.#buffer.bytes.length);
    return this.#context.paused.bytes <= pausedBytesMax;
  }

  /** Resumes the client; false when it was not paused. */
  resume(): boolean {
    if (!this.#isPaused) return false;
    this.#isPaused = false;
    this.#countPaused(0);
    this.#client.resume();
    return true;
  }

  /** Drops the buffered bytes. */
  clear(): void {
    this.#buffer = undefined;
    this.#countPaused(0);
  }

  #countPaused(bytes: number): void {
    this.#context.paused.bytes += bytes - this.#pausedBytes;
    this.#pausedBytes = bytes;
  }
}
