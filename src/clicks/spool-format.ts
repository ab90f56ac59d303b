/**
 * How the spool lies on the disk. Its invariants: see spool.ts.
 *
 * Layout (integers little-endian)
 *  Segment file, named by its base as 16 decimal digits and ".spool": a header of 64 bytes, then frames.
 *   header  0 "WPSPOOL\n" · 8 u32 format version · 12 u32 click version · 16 spool id, 16 bytes ·
 *          32 u64 base: the position of the first frame · 40 zeros · 60 u32 CRC-32 of bytes 0 to 59
 *   frame   0 u32 bytes behind this head, at least 1 · 4 u32 CRC-32 of the bytes from 8 to the frame's end ·
 *           8 u32 number of clicks · 12 u32 shared values that the segment's frames before brought along ·
 *          16 u32 shared values that this one brings along · 20 u32 bytes of the values · 24 clicks · values
 *   click  11 words of 32 bits: 0 time, low half · 1 time, high half · 2 target · 3 url · 4 place · 5 referer ·
 *           6 user agent · 7 language · 8 flags: bit 0 QR code, bits 8 to 15 kind of bot from 1 on · 9 and 10 visitor
 *   values  JSON in UTF-8, padded with blanks to a multiple of 4: [shared values, values of single clicks]
 *  Words 2 to 7 name values: n > 0 the segment's nth shared one, n < 0 the frame's -nth single one, 0 none. A value is
 *  shared when other clicks are likely to have it too: so a click of an ordinary link takes 44 bytes, and its segment
 *  can be read by itself, though only from its beginning.
 *  The byte at position p lies in the segment with the largest base not above p, at file offset 64 + p - base.
 *  The position of a click is in its identifier, which therefore takes no room.
 */
import {
  botKinds,
  type CapturedClick,
  type ClickTarget,
  type Place,
  type Shared,
  type SpooledClick,
  spooledClickVersion,
} from "./click.ts";

/** The length of a segment's header. */
export const segmentHeaderBytes = 64;
/** The length of a frame's header. */
export const frameHeaderBytes = 24;
/** A click without the values it shares with others. */
export const clickBytes = 44;
/** A frame holds at most turnClicksMax clicks, which stay below this even when JSON escapes every character. */
export const frameBytesMax = 128 * 1024 ** 2;

const magic = "WPSPOOL\n";
const formatVersion = 2;
const spoolIdOffset = 16;
const baseOffset = 32;
const headerChecksumOffset = 60;
/** A frame's checksum covers all that follows it. */
const frameChecksumOffset = 4;
const frameCheckedOffset = 8;
const segmentName = /^(\d{16})\.spool$/;

/** What a segment says of itself: the spool it belongs to, and the position it begins at. */
export type SegmentHeader = { spoolId: string; base: number };

/** A spool that cannot be read as written: the message says what is wrong where, the hint how to go on. */
export class SpoolCorrupt extends Error {
  override readonly name = "SpoolCorrupt";
}

/** The file name of the segment that begins at a position. */
export function segmentFileName(base: number): string {
  return `${String(base).padStart(16, "0")}.spool`;
}

/** The positions at which the segments among these file names begin, ascending. */
export function segmentBases(fileNames: readonly string[]): number[] {
  return fileNames
    .flatMap((fileName) => segmentName.exec(fileName)?.[1] ?? [])
    .map(Number)
    .sort((left, right) => left - right);
}

/** The header's bytes, segmentHeaderBytes of them. */
export function encodeSegmentHeader({ spoolId, base }: SegmentHeader): Buffer {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write(magic, 0, "latin1");
  header.writeUInt32LE(formatVersion, 8);
  header.writeUInt32LE(spooledClickVersion, 12);
  header.write(spoolId, spoolIdOffset, "hex");
  header.writeBigUInt64LE(BigInt(base), baseOffset);
  header.writeUInt32LE(Bun.hash.crc32(header.subarray(0, headerChecksumOffset)), headerChecksumOffset);
  return header;
}

/** Reads a segment's header. Throws SpoolCorrupt when it is damaged, misnamed or of a version this program does not know. */
export function decodeSegmentHeader(header: Buffer, fileName: string): SegmentHeader {
  if (header.length < segmentHeaderBytes || header.toString("latin1", 0, magic.length) !== magic) {
    throw new SpoolCorrupt(`${fileName} is no spool segment. Move it out of the spool folder and start again.`);
  }
  const versions = [header.readUInt32LE(8), header.readUInt32LE(12)];
  if (versions[0] !== formatVersion || versions[1] !== spooledClickVersion) {
    throw new SpoolCorrupt(
      `${fileName} was written by another version of Waypost (format ${versions.join(".")}, this one reads ` +
        `${formatVersion}.${spooledClickVersion}). Start that version once more, so that it empties the spool.`,
    );
  }
  if (Bun.hash.crc32(header.subarray(0, headerChecksumOffset)) !== header.readUInt32LE(headerChecksumOffset)) {
    throw new SpoolCorrupt(`${fileName} has a damaged header. Move it out of the spool folder and start again.`);
  }
  const base = Number(header.readBigUInt64LE(baseOffset));
  if (segmentFileName(base) !== fileName) {
    throw new SpoolCorrupt(`${fileName} begins at ${base} by its header; rename it ${segmentFileName(base)}.`);
  }
  return { spoolId: header.toString("hex", spoolIdOffset, spoolIdOffset + 16), base };
}

/** The values that the frames of one segment have written so far: how many. Each is numbered from 1 on. */
export type Written = { values: number };

/** What a click's word says in place of a value's number: that there is none. */
const noValue = 0;
/** Bits of the word of flags: the trigger, and from there on the kind of bot. */
const qrFlag = 1;
const botShift = 8;
const twoTo32 = 2 ** 32;

/**
 * Writes frames into one buffer that it owns, so that a click costs eleven words and no allocation. The words are the
 * machine's, which is little-endian wherever Bun runs.
 */
export class FrameEncoder {
  #buffer = Buffer.alloc(0);
  #words = new Int32Array(0);
  readonly #encoder = new TextEncoder();
  /** Shared values that the segment does not have yet, and values of single clicks. */
  #shared: unknown[] = [];
  #single: string[] = [];

  /**
   * The frame of these clicks, behind what `written` says of its segment, which is carried on; valid until the next
   * call. When the frame does not get into the segment, `written` must be replaced by one of the former number.
   */
  encode(clicks: readonly CapturedClick[], written: Written): Buffer {
    // Of a frame that could not be made: they would take the numbers of this one's values.
    if (this.#shared.length + this.#single.length > 0) [this.#shared, this.#single] = [[], []];
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
    return frame;
  }

  #writeClick(at: number, click: CapturedClick, written: Written): void {
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

  #urlNumberOf({ url }: CapturedClick, written: Written): number {
    if (url === undefined) return noValue;
    return typeof url === "string" ? -this.#single.push(url) : this.#numberOf(url, written);
  }

  #numberOf(shared: Shared<unknown>, written: Written): number {
    if (shared.writtenIn !== written) {
      shared.writtenIn = written;
      shared.number = ++written.values;
      this.#shared.push(shared.value);
    }
    return shared.number;
  }

  /** Returns how many bytes they take. */
  #writeValues(start: number): number {
    if (this.#shared.length === 0 && this.#single.length === 0) return 0;
    const json = JSON.stringify([this.#shared, this.#single]);
    this.#shared = [];
    this.#single = [];
    // UTF-8 needs at most three bytes for each UTF-16 unit.
    this.#reserve(start + json.length * 3 + 3, start);
    const { written } = this.#encoder.encodeInto(json, this.#buffer.subarray(start));
    // Frames begin at multiples of four.
    const length = Math.ceil(written / 4) * 4;
    this.#buffer.fill(" ", start + written, start + length);
    return length;
  }

  /** Makes room for so many bytes, of which the first `kept` are kept. */
  #reserve(bytes: number, kept: number): void {
    if (this.#buffer.length >= bytes) return;
    const words = new Int32Array(Math.ceil(bytes / 2));
    words.set(this.#words.subarray(0, kept / 4));
    this.#words = words;
    this.#buffer = Buffer.from(words.buffer);
  }
}

function flagsOf({ bot, trigger }: CapturedClick): number {
  const flags = trigger === "qr" ? qrFlag : 0;
  return bot === "" ? flags : flags | ((botKinds.indexOf(bot) + 1) << botShift);
}

/** One frame as found in bytes, or that there is no whole one at this offset. */
export type FrameLook = FoundFrame | { kind: "none" };
export type FoundFrame = {
  kind: "frame";
  /** All of the frame. */
  bytes: Buffer;
  clicks: number;
  /** Values that the segment's frames before this one have written, and those that this one adds. */
  valuesBefore: number;
  valuesAdded: number;
};

/** Looks at the frame that begins at `offset`; "none" for an incomplete or damaged one. */
export function lookAtFrame(bytes: Buffer, offset: number): FrameLook {
  if (bytes.length - offset < frameHeaderBytes) return { kind: "none" };
  const length = bytes.readUInt32LE(offset);
  const end = offset + frameHeaderBytes + length;
  if (length === 0 || length > frameBytesMax || bytes.length < end) return { kind: "none" };
  const checked = bytes.subarray(offset + frameCheckedOffset, end);
  if (Bun.hash.crc32(checked) !== bytes.readUInt32LE(offset + frameChecksumOffset)) return { kind: "none" };
  return {
    kind: "frame",
    bytes: bytes.subarray(offset, end),
    clicks: bytes.readUInt32LE(offset + 8),
    valuesBefore: bytes.readUInt32LE(offset + 12),
    valuesAdded: bytes.readUInt32LE(offset + 16),
  };
}

/**
 * Takes the values that a frame brings along: those it shares with later frames into `shared`, by number; returns those
 * of single clicks. Frames are taken in order; once more does no harm.
 */
export function takeValues({ bytes, valuesBefore }: FoundFrame, shared: unknown[]): readonly unknown[] {
  const jsonBytes = bytes.readUInt32LE(20);
  if (jsonBytes === 0) return [];
  // The checksum says that these are the bytes a FrameEncoder of this version wrote.
  const [added, single] = JSON.parse(bytes.toString("utf8", bytes.length - jsonBytes)) as [unknown[], string[]];
  for (const [index, value] of added.entries()) shared[valuesBefore + 1 + index] = value;
  return single;
}

/** The clicks of one frame, each decoded when asked for. */
export class FrameClicks {
  readonly #bytes: Buffer;
  readonly #shared: readonly unknown[];
  readonly #single: readonly unknown[];
  readonly #idStart: string;
  readonly #position: number;
  readonly length: number;

  /** `position` is the frame's in the spool; `shared` holds what the frames before it have brought along. */
  constructor(frame: FoundFrame, shared: unknown[], spoolId: string, position: number) {
    this.#bytes = frame.bytes;
    this.#shared = shared;
    this.#single = takeValues(frame, shared);
    this.#idStart = clickIdStart(spoolId);
    this.#position = position;
    this.length = frame.clicks;
  }

  time(index: number): number {
    return this.#word(index, 1) * twoTo32 + (this.#word(index, 0) >>> 0);
  }

  target(index: number): ClickTarget {
    return this.#value<ClickTarget>(index, 2);
  }

  agent(index: number): string {
    return this.#value<string>(index, 6);
  }

  bot(index: number): SpooledClick["bot"] {
    return botKinds[(this.#word(index, 8) >> botShift) - 1] ?? "";
  }

  /** The whole click. */
  at(index: number): SpooledClick {
    const target = this.target(index);
    return {
      id: this.#id(index),
      time: this.time(index),
      ...target,
      url: this.#word(index, 3) === noValue ? target.url : this.#value<string>(index, 3),
      ...this.#value<Place>(index, 4),
      referer: this.#value<string>(index, 5),
      agent: this.agent(index),
      language: this.#value<string>(index, 7),
      trigger: (this.#word(index, 8) & qrFlag) === 0 ? "link" : "qr",
      bot: this.bot(index),
      visitor: visitorText(this.#word(index, 9), this.#word(index, 10)),
    };
  }

  /** The value that a click's word names. What it is, the word's place says. */
  #value<Value>(index: number, word: number): Value {
    const number = this.#word(index, word);
    return (number < 0 ? this.#single[-1 - number] : this.#shared[number]) as Value;
  }

  #word(index: number, word: number): number {
    return this.#bytes.readInt32LE(frameHeaderBytes + index * clickBytes + word * 4);
  }

  #id(index: number): string {
    return clickId(this.#idStart, this.#position + frameHeaderBytes + index * clickBytes);
  }
}

/** What the ids of all clicks of a spool begin with. */
export function clickIdStart(spoolId: string): string {
  return `${spoolId.slice(0, 8)}-${spoolId.slice(8, 12)}-8${spoolId.slice(13, 16)}-8`;
}

/** The id of the click at a position: its 15 hex digits follow the digit that the form of a UUID asks for. */
export function clickId(idStart: string, position: number): string {
  const digits = position.toString(16).padStart(15, "0");
  return `${idStart}${digits.slice(0, 3)}-${digits.slice(3)}`;
}

/**
 * The first id that a click at a position of a spool, or behind it, can have: ids of one spool ascend with positions,
 * compared as texts or as numbers of 128 bits.
 */
export function firstClickId(spoolId: string, position: number): string {
  return clickId(clickIdStart(spoolId), position);
}

/** The position of a click in its spool, by its id. */
export function positionOfClick(id: string): number {
  return Number.parseInt(id.slice(20).replace("-", ""), 16);
}

/** A visitor's hash as text: 16 hex digits, or "" where there is none. */
export function visitorText(high: number, low: number): string {
  return high === 0 && low === 0 ? "" : hex32(high) + hex32(low);
}

function hex32(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
