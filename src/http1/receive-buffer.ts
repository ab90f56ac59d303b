import { ByteBuffer } from "./byte-buffer.ts";

/** Bytes of requests sent ahead of their answers; beyond them the client is not read any more. */
const bufferedBytesMax = 16 * 1024;
/** The same, of all connections of a front that have sent more than that: one read may bring half a mebibyte. */
const pausedBytesMax = 32 * 1024 ** 2;

/** The client's socket, as far as it is held back. */
type PausableSocket = { pause(): unknown; resume(): unknown };
/** What all inboxes of a front share: the bytes that paused ones hold, and milliseconds that only move on. */
type SharedBudget = { readonly paused: { bytes: number }; now(): number };

/** What a client has sent that is not answered yet: the beginning of a head, or what waits for an answer before it. */
export class ReceiveBuffer {
  readonly #client: PausableSocket;
  readonly #context: SharedBudget;
  #buffer: ByteBuffer | undefined;
  #isPaused = false;
  /** Of shared.held. */
  #pausedBytes = 0;
  /** When what it begins with came. */
  receivedAt = 0;

  constructor(client: PausableSocket, context: SharedBudget) {
    this.#client = client;
    this.#context = context;
  }

  /** What it holds; undefined for nothing. */
  get buffer(): ByteBuffer | undefined {
    return this.#buffer;
  }

  /** Adds what comes behind the rest. */
  append(bytes: Buffer): void {
    if (this.#buffer === undefined) this.set(new ByteBuffer(bytes));
    else this.#buffer = this.#buffer.with(bytes);
  }

  /** Holds this packet, in place of any other. */
  set(buffer: ByteBuffer): void {
    this.#buffer = buffer;
    this.receivedAt = this.#context.now();
  }

  /** What it held; nothing is left. */
  take(): ByteBuffer | undefined {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    return buffer;
  }

  /** Reads the client no more while too much waits; false when all connections together hold too much. */
  pauseWhenFull(): boolean {
    if (this.#buffer === undefined) return true;
    if (this.#buffer.bytes.length - this.#buffer.start <= bufferedBytesMax) return true;
    this.#isPaused = true;
    this.#client.pause();
    this.#countPaused(this.#buffer.bytes.length);
    return this.#context.paused.bytes <= pausedBytesMax;
  }

  /** Reads the client again; false when it never was paused. */
  resume(): boolean {
    if (!this.#isPaused) return false;
    this.#isPaused = false;
    this.#countPaused(0);
    this.#client.resume();
    return true;
  }

  /** Holds nothing any more, and counts for nothing. */
  clear(): void {
    this.#buffer = undefined;
    this.#countPaused(0);
  }

  #countPaused(bytes: number): void {
    this.#context.paused.bytes += bytes - this.#pausedBytes;
    this.#pausedBytes = bytes;
  }
}
