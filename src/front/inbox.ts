import { Packet } from "./packet.ts";

/** Bytes of requests sent ahead of their answers; beyond them the client is not read any more. */
const waitingBytesMax = 16 * 1024;
/** The same, of all connections of a front that have sent more than that: one read may bring half a mebibyte. */
const heldBytesMax = 32 * 1024 ** 2;

/** The client's socket, as far as it is held back. */
type Source = { pause(): unknown; resume(): unknown };
/** What all inboxes of a front share: the bytes that paused ones hold, and milliseconds that only move on. */
type Shelf = { readonly held: { bytes: number }; now(): number };

/** What a client has sent that is not answered yet: the beginning of a head, or what waits for an answer before it. */
export class Inbox {
  readonly #client: Source;
  readonly #shared: Shelf;
  #packet: Packet | undefined;
  #isPaused = false;
  /** Of shared.held. */
  #heldBytes = 0;
  /** When what it begins with came. */
  since = 0;

  constructor(client: Source, shared: Shelf) {
    this.#client = client;
    this.#shared = shared;
  }

  /** What it holds; undefined for nothing. */
  get packet(): Packet | undefined {
    return this.#packet;
  }

  /** Adds what comes behind the rest. */
  add(bytes: Buffer): void {
    if (this.#packet === undefined) this.put(new Packet(bytes));
    else this.#packet = this.#packet.with(bytes);
  }

  /** Holds this packet, in place of any other. */
  put(packet: Packet): void {
    this.#packet = packet;
    this.since = this.#shared.now();
  }

  /** What it held; nothing is left. */
  take(): Packet | undefined {
    const packet = this.#packet;
    this.#packet = undefined;
    return packet;
  }

  /** Reads the client no more while too much waits; false when all connections together hold too much. */
  pauseWhenFull(): boolean {
    if (this.#packet === undefined) return true;
    if (this.#packet.bytes.length - this.#packet.start <= waitingBytesMax) return true;
    this.#isPaused = true;
    this.#client.pause();
    this.#hold(this.#packet.bytes.length);
    return this.#shared.held.bytes <= heldBytesMax;
  }

  /** Reads the client again; false when it never was paused. */
  resume(): boolean {
    if (!this.#isPaused) return false;
    this.#isPaused = false;
    this.#hold(0);
    this.#client.resume();
    return true;
  }

  /** Holds nothing any more, and counts for nothing. */
  clear(): void {
    this.#packet = undefined;
    this.#hold(0);
  }

  #hold(bytes: number): void {
    this.#shared.held.bytes += bytes - this.#heldBytes;
    this.#heldBytes = bytes;
  }
}
