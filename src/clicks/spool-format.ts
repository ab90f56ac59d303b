import { type CapturedClick, capturedClickVersion } from "./click.ts";

/** Byte layout and invariants: see spool.ts. */
export const segmentHeaderBytes = 64;
export const frameHeaderBytes = 12;
/** A frame holds at most turnClicksMax clicks, which stay below this even when JSON escapes every character. */
export const frameBytesMax = 128 * 1024 ** 2;

const magic = "WPSPOOL\n";
const formatVersion = 1;
const spoolIdOffset = 16;
const baseOffset = 32;
const headerChecksumOffset = 60;
/** A frame's checksum covers what follows it: the number of clicks and the payload. */
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
  header.writeUInt32LE(capturedClickVersion, 12);
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
  if (versions[0] !== formatVersion || versions[1] !== capturedClickVersion) {
    throw new SpoolCorrupt(
      `${fileName} was written by another version of Waypost (format ${versions.join(".")}, this one reads ` +
        `${formatVersion}.${capturedClickVersion}). Start that version once more, so that it empties the spool.`,
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

/** Writes frames into one buffer that it owns, so that a turn allocates nothing but its JSON text. */
export class FrameEncoder {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #encoder = new TextEncoder();

  /** The frame of these clicks; valid until the next call. */
  encode(clicks: readonly CapturedClick[]): Buffer {
    const json = JSON.stringify(clicks);
    // UTF-8 needs at most three bytes for each UTF-16 unit.
    const bytesMax = frameHeaderBytes + json.length * 3;
    if (this.#buffer.length < bytesMax) this.#buffer = Buffer.allocUnsafe(bytesMax * 2);
    const { written } = this.#encoder.encodeInto(json, this.#buffer.subarray(frameHeaderBytes));
    const frame = this.#buffer.subarray(0, frameHeaderBytes + written);
    frame.writeUInt32LE(written, 0);
    frame.writeUInt32LE(clicks.length, frameCheckedOffset);
    frame.writeUInt32LE(Bun.hash.crc32(frame.subarray(frameCheckedOffset)), frameChecksumOffset);
    return frame;
  }
}

/** One frame as found in bytes: its payload, or why there is none at this offset. */
export type FrameLook = { kind: "frame"; payload: Buffer; count: number; bytes: number } | { kind: "none" };

/** Looks at the frame that begins at `offset`; "none" for an incomplete or damaged one. */
export function lookAtFrame(bytes: Buffer, offset: number): FrameLook {
  if (bytes.length - offset < frameHeaderBytes) return { kind: "none" };
  const length = bytes.readUInt32LE(offset);
  const start = offset + frameHeaderBytes;
  if (length === 0 || length > frameBytesMax || bytes.length - start < length) return { kind: "none" };
  const checked = bytes.subarray(offset + frameCheckedOffset, start + length);
  if (Bun.hash.crc32(checked) !== bytes.readUInt32LE(offset + frameChecksumOffset)) return { kind: "none" };
  const count = bytes.readUInt32LE(offset + frameCheckedOffset);
  return { kind: "frame", payload: bytes.subarray(start, start + length), count, bytes: frameHeaderBytes + length };
}

/** The clicks of a frame's payload. */
export function decodeFrame(payload: Buffer): CapturedClick[] {
  // The checksum says that these are the bytes a FrameEncoder of this version wrote.
  return JSON.parse(payload.toString("utf8")) as CapturedClick[];
}
