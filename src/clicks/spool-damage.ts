/**
 * Damaged bytes in the spool: bytes behind which a whole frame follows, or which close a segment, and are no frame.
 *
 * 1. A reader passes over a gap and goes on with the next frame whose header and checksum are valid. All readers find
 *    the same gaps, since they look at nothing but the file.
 * 2. The reader for the store keeps a copy of each gap in a file of the spool's folder, named after the segment and the
 *    offset. A person may read it; Waypost does not.
 * 3. The end of the newest segment is a torn write, and no damage, if it can be the beginning of a frame that was being
 *    written at a crash: such a frame holds no answered click. Everything else that cannot be read is damage.
 */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  clickBytes,
  frameAlignment,
  frameHeaderBytes,
  frameLengthAt,
  parseFrame,
  segmentFileName,
  segmentHeaderBytes,
} from "./spool-format.ts";

/** Bytes that a reader has passed over, in positions, in the segment that begins at `base`. */
export type Gap = { base: number; from: number; to: number };

/** A gap as it is reported. `clicksMax` is how many clicks it may have held; `savedAs` is absent if no copy was kept. */
export type Damage = { fileName: string; offset: number; bytes: number; clicksMax: number; savedAs?: string };

/** Bytes that the copies in one folder take at most; what is beyond is not copied. */
export const damagedBytesMax = 128 * 1024 ** 2;

const copyName = /\.damaged$/;

/** The offset of the first whole frame at or behind `from`; undefined if there is none. `from` is a multiple of 4. */
export function nextWholeFrame(bytes: Buffer, from: number): number | undefined {
  for (let offset = from; offset + frameHeaderBytes <= bytes.length; offset += frameAlignment) {
    if (parseFrame(bytes, offset).kind === "frame") return offset;
  }
  return undefined;
}

/** What follows the last whole frame of a segment: nothing, a write that a crash interrupted, or damage. */
export function tailKind(bytes: Buffer, framesEnd: number): "none" | "torn" | "damaged" {
  const rest = bytes.length - framesEnd;
  if (rest === 0) return "none";
  if (rest < frameHeaderBytes) return "torn";
  const length = frameLengthAt(bytes, framesEnd);
  if (length !== undefined && length > rest) return "torn";
  // Power loss leaves zeros: the file's new size was on the disk, its new bytes were not.
  return bytes.subarray(framesEnd).every((byte) => byte === 0) ? "torn" : "damaged";
}

/** How many clicks these bytes may have held: as their frames' headers say, and as many as fit where there is none. */
export function clicksUpperBound(bytes: Buffer): number {
  let clicks = 0;
  let offset = 0;
  for (let length = frameLengthAt(bytes, 0); length !== undefined; length = frameLengthAt(bytes, offset)) {
    if (offset + length > bytes.length) break;
    clicks += bytes.readUInt32LE(offset + 8);
    offset += length;
  }
  return clicks + Math.max(0, Math.floor((bytes.length - offset - frameHeaderBytes) / clickBytes));
}

/** Reports a gap and keeps a copy of its bytes, unless one is there already or the disk refuses. */
export function saveDamage(directory: string, { base, from, to }: Gap): Damage {
  const fileName = segmentFileName(base);
  const offset = segmentHeaderBytes + from - base;
  const bytes = readPart(join(directory, fileName), offset, to - from);
  const report = { fileName, offset, bytes: to - from, clicksMax: clicksUpperBound(bytes) };
  const savedAs = join(directory, `${fileName}-${offset}.damaged`);
  if (existsSync(savedAs)) return { ...report, savedAs };
  if (damagedCopies(directory).bytes + bytes.length > damagedBytesMax) return report;
  try {
    writeFileSync(savedAs, bytes, { mode: 0o600 });
    return { ...report, savedAs };
  } catch {
    // The report says that there is no copy; readers go on all the same, since a full disk needs them to.
    return report;
  }
}

/** The copies of damaged bytes in a folder: their names, and the bytes they take. */
export function damagedCopies(directory: string): { names: string[]; bytes: number } {
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => copyName.test(name)) : [];
  const bytes = names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  return { names, bytes };
}

function readPart(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    return readBytes(file, offset, length);
  } finally {
    closeSync(file);
  }
}

/** Up to `length` bytes of a file; fewer at its end. */
export function readBytes(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
