import { botKinds, type CapturedClick, type Shared } from "./click.ts";
import {
  botShift,
  clickBytes,
  frameCheckedOffset,
  frameChecksumOffset,
  frameHeaderBytes,
  noValue,
  qrFlag,
  twoTo32,
} from "./spool-format.ts";

/** The shared values written to one segment so far, numbered from 1 on, and its bytes. */
export type SegmentProgress = { values: number; bytes: number };

/**
 * Encodes frames into one buffer that it owns, so that a click costs eleven words and no allocation. The words have the
 * machine's byte order, which is little-endian on every platform of Bun.
 *
 * A frame repeats a shared value, with its number, each time the distance to the frame that introduced it has doubled.
 * So damage costs the clicks in about twice the damaged bytes, and not all later clicks with the same values. A value
 * occurs in at most 26 frames of a segment of 64 MiB.
 */
export class FrameEncoder {
  #buffer = Buffer.alloc(0);
  #words = new Int32Array(0);
  readonly #encoder = new TextEncoder();
  /** New shared values of the segment, repeated ones with their numbers, and values of single clicks. */
  #shared: unknown[] = [];
  #repeated: [number, unknown][] = [];
  #single: string[] = [];

  /**
   * Encodes the clicks as the next frame of the segment whose progress is `written`, and updates `written`. The result
   * is valid until the next call. If the frame is not written, the caller must replace `written` by a new object with
   * the former numbers.
   */
  encode(clicks: readonly CapturedClick[], written: SegmentProgress): Buffer {
    // Values left by a failed call would take the numbers of this frame's values.
    if (this.#shared.length + this.#repeated.length + this.#single.length > 0) this.#forgetValues();
    const valuesBefore = written.values;
    const clicksEnd = frameHeaderBytes + clicks.length * clickBytes;
    this.#reserve(clicksEnd, 0);
    let at = frameHeaderBytes / 4;
    for (const click of clicks) {
      this.#writeClick(at, click, written);
      at += clickBytes / 4;
    }
    const length = clicksEnd + this.#writeValues(clicksEnd);
    const words = this.#words;
    words[0] = length - frameHeaderBytes;
    words[2] = clicks.length;
    words[3] = valuesBefore;
    words[4] = written.values - valuesBefore;
    words[5] = length - clicksEnd;
    const frame = this.#buffer.subarray(0, length);
    frame.writeUInt32LE(Bun.hash.crc32(frame.subarray(frameCheckedOffset)), frameChecksumOffset);
    written.bytes += length;
    return frame;
  }

  #writeClick(at: number, click: CapturedClick, written: SegmentProgress): void {
    const words = this.#words;
    words[at] = click.time % twoTo32;
    words[at + 1] = click.time / twoTo32;
    words[at + 2] = this.#numberOf(click.target, written);
    words[at + 3] = this.#urlNumberOf(click, written);
    words[at + 4] = this.#numberOf(click.place, written);
    words[at + 5] = this.#numberOf(click.referer, written);
    words[at + 6] = this.#numberOf(click.agent, written);
    words[at + 7] = this.#numberOf(click.language, written);
    words[at + 8] = flagsOf(click);
    words[at + 9] = click.visitorHigh;
    words[at + 10] = click.visitorLow;
  }

  #urlNumberOf({ url }: CapturedClick, written: SegmentProgress): number {
    if (url === undefined) return noValue;
    return typeof url === "string" ? -this.#single.push(url) : this.#numberOf(url, written);
  }

  #numberOf(shared: Shared<unknown>, written: SegmentProgress): number {
    const { bytes } = written;
    if (shared.writtenIn !== written) {
      shared.writtenIn = written;
      shared.number = ++written.values;
      shared.introducedAt = bytes;
      shared.repeatAt = bytes + 1;
      this.#shared.push(shared.value);
    } else if (bytes >= shared.repeatAt) {
      shared.repeatAt = bytes + (bytes - shared.introducedAt);
      this.#repeated.push([shared.number, shared.value]);
    }
    return shared.number;
  }

  /** Returns the number of bytes written. */
  #writeValues(start: number): number {
    if (this.#shared.length + this.#repeated.length + this.#single.length === 0) return 0;
    const json = JSON.stringify([this.#shared, this.#single, this.#repeated]);
    this.#forgetValues();
    // UTF-8 needs at most three bytes for each UTF-16 unit.
    this.#reserve(start + json.length * 3 + 3, start);
    const { written } = this.#encoder.encodeInto(json, this.#buffer.subarray(start));
    // Frames begin at multiples of four.
    const length = Math.ceil(written / 4) * 4;
    this.#buffer.fill(" ", start + written, start + length);
    return length;
  }

  #forgetValues(): void {
    this.#shared = [];
    this.#repeated = [];
    this.#single = [];
  }

  /** Grows the buffer to a number of bytes and keeps the first `usedBytes` bytes. */
  #reserve(bytes: number, usedBytes: number): void {
    if (this.#buffer.length >= bytes) return;
    const words = new Int32Array(Math.ceil(bytes / 2));
    words.set(this.#words.subarray(0, usedBytes / 4));
    this.#words = words;
    this.#buffer = Buffer.from(words.buffer);
  }
}

function flagsOf({ bot, trigger }: CapturedClick): number {
  const flags = trigger === "qr" ? qrFlag : 0;
  return bot === "" ? flags : flags | ((botKinds.indexOf(bot) + 1) << botShift);
}
