/**
 * The format of the spool on the disk. See spool.ts for its invariants and frame-encoder.ts for the writing of frames.
 *
 * Layout (integers little-endian)
 *  Segment file, named by its base as 16 decimal digits and ".spool": a header of 64 bytes, then frames.
 *   header  0 "WPSPOOL\n" · 8 u32 format version · 12 u32 click version · 16 spool id, 16 bytes ·
 *          32 u64 base: the position of the first frame · 40 zeros · 60 u32 CRC-32 of bytes 0 to 59
 *   frame   0 u32 bytes after the 24 bytes of this header, at least 1 · 4 u32 CRC-32 of bytes 8 to the end ·
 *           8 u32 number of clicks · 12 u32 number of shared values in earlier frames of the segment ·
 *          16 u32 number of shared values in this frame · 20 u32 bytes of the values · 24 clicks · values
 *   click  11 words of 32 bits: 0 time, low half · 1 time, high half · 2 target · 3 url · 4 place · 5 referer ·
 *           6 user agent · 7 language · 8 flags: bit 0 QR code, bits 8 to 15 kind of bot from 1 on · 9 and 10 visitor
 *   values  JSON in UTF-8, padded with blanks to a multiple of 4:
 *           [shared values, values of single clicks, repeated shared values of earlier frames as [number, value]]
 *  Words 2 to 7 refer to values: n > 0 the nth shared value of the segment, n < 0 the -nth single value of the frame, 0
 *  none. A value is shared when other clicks are likely to have it too. So a click of an ordinary link takes 44 bytes,
 *  and a segment can be read without the others, from its beginning.
 *  The byte at position p lies in the segment with the largest base not above p, at file offset 64 + p - base.
 *  A click's id contains its position, so the click does not store it.
 *  The header has the same layout in every version, so that a program can name a version that it cannot read.
 *  A client cannot forge a frame inside its values: the first word of a frame has a high byte below 9, and JSON escapes
 *  such characters. So a reader can search for the next whole frame after damaged bytes.
 */
import { botKinds, type ClickTarget, type Place, type SpooledClick, spooledClickVersion } from "./click.ts";

/** The length of a segment's header. */
export const segmentHeaderBytes = 64;
/** The length of a frame's header. */
export const frameHeaderBytes = 24;
/** A click without its values. */
export const clickBytes = 44;
/** A frame holds at most tickClicksMax clicks; they stay below this even when JSON escapes every character. */
export const frameBytesMax = 128 * 1024 ** 2;

const magic = "WPSPOOL\n";
const formatVersion = 3;
const formatOffset = 8;
const clickOffset = 12;
const spoolIdOffset = 16;
const baseOffset = 32;
const headerChecksumOffset = 60;
/** A frame's checksum covers all bytes after it. */
export const frameChecksumOffset = 4;
/** The first byte that a frame's checksum covers. */
export const frameCheckedOffset = 8;
/** Frames begin at multiples of this offset in their file. */
export const frameAlignment = 4;
/** The word of a click without this value. */
export const noValue = 0;
/** The bit of the flags of a visitor who scanned a QR code. */
export const qrFlag = 1;
/** The lowest bit of the kind of bot in the flags. */
export const botShift = 8;
/** The number of distinct values of a word. */
export const twoTo32 = 2 ** 32;
const segmentName = /^(\d{16})\.spool$/;

/** Values of a frame: new shared values, values of single clicks, and repeated shared values with their numbers. */
type FrameValues = readonly [added: unknown[], single: unknown[], repeated: [number, unknown][]];

/** The version of the segments that this program writes: of the frame layout and of the click's fields. */
export const currentVersion = `${formatVersion}.${spooledClickVersion}`;

/**
 * TABLE of the versions that this program reads, each with the reader of a frame's values. A change of the format adds
 * a row and keeps the row of the last release, because an upgrade finds segments of it. The checksum guarantees that an
 * encoder of that version wrote the JSON.
 */
const valueReaders: ReadonlyMap<string, (json: string) => FrameValues> = new Map<string, (json: string) => FrameValues>(
  [
    [
      "2.3",
      (json) => {
        const [added, single]: [unknown[], unknown[]] = JSON.parse(json);
        return [added, single, []];
      },
    ],
    [currentVersion, (json) => JSON.parse(json)],
  ],
);

/** True for a version whose frames this program reads. */
export function isReadable(version: string): boolean {
  return valueReaders.has(version);
}

/** The content of a segment's header: its spool, the position where it begins, and its version. */
export type SegmentHeader = { spoolId: string; base: number; version: string };

/** A spool that cannot be read: the message names the file and the remedy. */
export class SpoolCorrupt extends Error {
  override readonly name = "SpoolCorrupt";
}

/** The file name of the segment that begins at a position. */
export function segmentFileName(base: number): string {
  return `${String(base).padStart(16, "0")}.spool`;
}

/** The positions where the segments with these file names begin, ascending. */
export function segmentBases(fileNames: readonly string[]): number[] {
  return fileNames
    .flatMap((fileName) => segmentName.exec(fileName)?.[1] ?? [])
    .map(Number)
    .sort((left, right) => left - right);
}

/** Encodes a header into segmentHeaderBytes bytes. */
export function encodeSegmentHeader({ spoolId, base, version }: SegmentHeader): Buffer {
  const header = Buffer.alloc(segmentHeaderBytes);
  const [format, click] = version.split(".").map(Number);
  header.write(magic, 0, "latin1");
  header.writeUInt32LE(format ?? 0, formatOffset);
  header.writeUInt32LE(click ?? 0, clickOffset);
  header.write(spoolId, spoolIdOffset, "hex");
  header.writeBigUInt64LE(BigInt(base), baseOffset);
  header.writeUInt32LE(Bun.hash.crc32(header.subarray(0, headerChecksumOffset)), headerChecksumOffset);
  return header;
}

/** Reads a segment's header, of any version. Throws SpoolCorrupt when it is damaged or misnamed. */
export function decodeSegmentHeader(header: Buffer, fileName: string): SegmentHeader {
  if (!isHeaderWhole(header)) {
    throw new SpoolCorrupt(`${fileName} has a damaged header. The next start of Waypost repairs it or sets it aside.`);
  }
  const base = Number(header.readBigUInt64LE(baseOffset));
  if (segmentFileName(base) !== fileName) {
    throw new SpoolCorrupt(`${fileName} begins at ${base} by its header; rename it ${segmentFileName(base)}.`);
  }
  const spoolId = header.toString("hex", spoolIdOffset, spoolIdOffset + 16);
  return { spoolId, base, version: `${header.readUInt32LE(formatOffset)}.${header.readUInt32LE(clickOffset)}` };
}

/** True for a header whose checksum is valid. */
export function isHeaderWhole(header: Buffer): boolean {
  if (header.length < segmentHeaderBytes || header.toString("latin1", 0, magic.length) !== magic) return false;
  const checksum = Bun.hash.crc32(header.subarray(0, headerChecksumOffset));
  return checksum === header.readUInt32LE(headerChecksumOffset);
}

/** The error of a reader that finds clicks of a version it cannot read. */
export function unreadableVersion(fileName: string, version: string): SpoolCorrupt {
  return new SpoolCorrupt(
    `${fileName} holds unread clicks of another version of Waypost (format ${version}; this one reads ` +
      `${[...valueReaders.keys()].join(" and ")}). Start that version until waypost doctor says that all clicks are ` +
      "stored and counted, then start this one.",
  );
}

/** The words of a click that refer to values. */
const firstValueWord = 2;
const lastValueWord = 7;

/** The result of parsing bytes as a frame; "none" if there is no whole frame at this offset. */
type ParsedFrame = WholeFrame | { kind: "none" };
type WholeFrame = {
  kind: "frame";
  /** The whole frame, header included. */
  bytes: Buffer;
  clicks: number;
  /** The number of shared values in earlier frames of the segment, and of those in this frame. */
  valuesBefore: number;
  valuesAdded: number;
};

/** The length of the frame that may begin here; undefined when the bytes are no header of a frame. */
export function frameLengthAt(bytes: Buffer, offset: number): number | undefined {
  if (bytes.length - offset < frameHeaderBytes) return undefined;
  const length = bytes.readUInt32LE(offset);
  if (length === 0 || length > frameBytesMax) return undefined;
  const clicks = bytes.readUInt32LE(offset + 8);
  const isHeader = clicks > 0 && length === clicks * clickBytes + bytes.readUInt32LE(offset + 20);
  return isHeader ? frameHeaderBytes + length : undefined;
}

/** Parses the frame that begins at `offset`; "none" for an incomplete or damaged frame. */
export function parseFrame(bytes: Buffer, offset: number): ParsedFrame {
  const length = frameLengthAt(bytes, offset);
  if (length === undefined || bytes.length < offset + length) return { kind: "none" };
  const end = offset + length;
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

/** The shared values of a segment that a reader knows, by number, and whether some of them may be lost to damage. */
export type SegmentValues = { version: string; known: unknown[]; isDamaged: boolean };

/**
 * Adds a frame's shared values to `known`, by number, and returns the values of single clicks. The caller passes frames
 * in order; repeating one does no harm.
 */
function learnValues({ bytes, valuesBefore }: WholeFrame, { version, known }: SegmentValues): readonly unknown[] {
  const jsonBytes = bytes.readUInt32LE(20);
  const readValues = valueReaders.get(version);
  if (jsonBytes === 0 || readValues === undefined) return [];
  const [added, single, repeated] = readValues(bytes.toString("utf8", bytes.length - jsonBytes));
  for (const [index, value] of added.entries()) known[valuesBefore + 1 + index] = value;
  for (const [number, value] of repeated) known[number] = value;
  return single;
}

/** The clicks of one frame, decoded on demand. */
export class FrameClicks {
  readonly #bytes: Buffer;
  readonly #values: SegmentValues;
  readonly #single: readonly unknown[];
  readonly #idStart: string;
  readonly #position: number;
  readonly length: number;

  /** `position` is the frame's position in the spool; `values` are the shared values of earlier frames. */
  constructor(frame: WholeFrame, values: SegmentValues, spoolId: string, position: number) {
    this.#bytes = frame.bytes;
    this.#values = values;
    this.#single = learnValues(frame, values);
    this.#idStart = clickIdStart(spoolId);
    this.#position = position;
    this.length = frame.clicks;
  }

  /** False for a click that refers to a value lost to damage: it cannot be decoded. */
  isKnown(index: number): boolean {
    if (!this.#values.isDamaged) return true;
    for (let word = firstValueWord; word <= lastValueWord; word++) {
      const number = this.#word(index, word);
      if (number > noValue && this.#values.known[number] === undefined) return false;
    }
    return true;
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

  /** Decodes the whole click. */
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

  /** The value that a click's word refers to. The word's index determines its type. */
  #value<Value>(index: number, word: number): Value {
    const number = this.#word(index, word);
    return (number < 0 ? this.#single[-1 - number] : this.#values.known[number]) as Value;
  }

  #word(index: number, word: number): number {
    return this.#bytes.readInt32LE(frameHeaderBytes + index * clickBytes + word * 4);
  }

  #id(index: number): string {
    return clickId(this.#idStart, this.#position + frameHeaderBytes + index * clickBytes);
  }
}

/** The common prefix of the ids of all clicks of a spool. */
export function clickIdStart(spoolId: string): string {
  return `${spoolId.slice(0, 8)}-${spoolId.slice(8, 12)}-8${spoolId.slice(13, 16)}-8`;
}

/** The id of the click at a position: the position's 15 hex digits follow the variant digit of the UUID. */
export function clickId(idStart: string, position: number): string {
  const digits = position.toString(16).padStart(15, "0");
  return `${idStart}${digits.slice(0, 3)}-${digits.slice(3)}`;
}

/**
 * The lowest id that a click at or after a position can have. Ids of one spool ascend with positions, compared as text
 * or as 128-bit numbers.
 */
export function firstClickId(spoolId: string, position: number): string {
  return clickId(clickIdStart(spoolId), position);
}

/** The position of a click in its spool, from its id. */
export function positionOfClick(id: string): number {
  return Number.parseInt(id.slice(20).replace("-", ""), 16);
}

/** A visitor's hash as 16 hex digits, or "" without a hash. */
export function visitorText(high: number, low: number): string {
  return high === 0 && low === 0 ? "" : hex32(high) + hex32(low);
}

function hex32(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
