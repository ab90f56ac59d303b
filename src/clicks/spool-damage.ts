/**
 * Damage: bytes of the spool that form no whole frame although a whole frame follows them, or that end a closed
 * segment.
 *
 * 1. A reader skips a gap and continues with the next frame whose header and checksum are valid. All readers find the
 *    same gaps, because only the file determines them.
 * 2. The store's reader saves a copy of each gap in a file of the spool's folder, named after the segment and the
 *    offset. Waypost never reads the copy; an operator may.
 * 3. The end of the newest segment is a torn write, not damage, if it can be the beginning of a frame that a crash
 *    interrupted: such a frame holds no answered click. All other unreadable bytes are damage.
 */
import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
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

/** Bytes that readers skip, as positions, in the segment that begins at `base`. */
export type Gap = { base: number; from: number; to: number };

/** A gap in a report. `clicksMax` is the most clicks it may have held; `savedAs` is absent if no copy was saved. */
export type Damage = { fileName: string; offset: number; bytes: number; clicksMax: number; savedAs?: string };

/** Size limit of the copies in one folder; further gaps are not copied. */
export const damagedBytesMax = 128 * 1024 ** 2;

const copyName = /\.damaged$/;

/** The offset of the first whole frame at or after `from`, which is a multiple of 4; undefined if there is none. */
export function nextWholeFrame(bytes: Buffer, from: number): number | undefined {
  for (let offset = from; offset + frameHeaderBytes <= bytes.length; offset += frameAlignment) {
    if (parseFrame(bytes, offset).kind === "frame") return offset;
  }
  return undefined;
}

/**
 * The kind of bytes after the last whole frame of a segment: none, a write that a crash interrupted, or damage.
 * Known weakness: two kinds of damage look like an interrupted write and are cut without a copy. One changes several
 * words of a header to a larger length that they agree on (see frameLengthAt; one damaged word never agrees with the
 * others). The other turns all last frames into zeros. If either occurs on a disk, save the bytes before the cut.
 */
export function tailKind(bytes: Buffer, framesEnd: number): "none" | "torn" | "damaged" {
  const rest = bytes.length - framesEnd;
  if (rest === 0) return "none";
  if (rest < frameHeaderBytes) return "torn";
  const length = frameLengthAt(bytes, framesEnd);
  if (length !== undefined && length > rest) return "torn";
  // Power loss leaves zeros when the file's new size reached the disk before its new bytes.
  return bytes.subarray(framesEnd).every((byte) => byte === 0) ? "torn" : "damaged";
}

/** Upper bound of the clicks in these bytes: by the headers of frames, and as many as fit where there is no header. */
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

/** Reports a gap and saves a copy of its bytes, unless a complete one exists or the disk refuses. */
export function saveDamage(directory: string, { base, from, to }: Gap): Damage {
  const fileName = segmentFileName(base);
  const offset = segmentHeaderBytes + from - base;
  const bytes = readPart(join(directory, fileName), offset, to - from);
  const report = { fileName, offset, bytes: to - from, clicksMax: clicksUpperBound(bytes) };
  const savedAs = join(directory, `${fileName}-${offset}.damaged`);
  // A process that was killed leaves a part.
  if (statSync(savedAs, { throwIfNoEntry: false })?.size === bytes.length) return { ...report, savedAs };
  if (damagedCopies(directory).bytes + bytes.length > damagedBytesMax) return report;
  try {
    writeFileSync(savedAs, bytes, { mode: 0o600 });
    return { ...report, savedAs };
  } catch {
    rmSync(savedAs, { force: true });
    // The report says that there is no copy. Readers continue, because a full disk needs them to free space.
    return report;
  }
}

/** The names and total bytes of the copies of damaged bytes in a folder. */
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

/** Reads up to `length` bytes; fewer at the end of the file. */
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
