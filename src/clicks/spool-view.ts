import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../base/is-missing.ts";
import { decodeSegmentHeader, segmentBases, segmentFileName, segmentHeaderBytes } from "./spool-format.ts";

/**
 * The state of a spool that another process writes, read from its files. `bases` are the positions at which its segments
 * begin. `end` is after its last frame, or inside a frame that is being written or was torn by a crash: a reader stops
 * before such a frame.
 */
type SpoolView = { id: string; bases: readonly number[]; end: number; bytes: number };

/** A writer deletes a segment about once an hour, so a list of segments is rarely outdated twice in a row. */
const attemptsMax = 10;

/**
 * Reads the state of the spool in a folder; undefined when it has no segment yet.
 * Throws SpoolCorrupt for a segment that cannot be read.
 */
export function viewSpool(directory: string): SpoolView | undefined {
  for (let attempt = 1; existsSync(directory); attempt++) {
    try {
      return readView(directory);
    } catch (error) {
      if (!isMissing(error) || attempt === attemptsMax) throw error;
    }
  }
  return undefined;
}

function readView(directory: string): SpoolView | undefined {
  const bases = segmentBases(readdirSync(directory));
  const sizes = new Map(bases.slice(-2).map((base) => [base, statSync(join(directory, segmentFileName(base))).size]));
  // The newest segment may be under construction: it begins where the one before it ends.
  const begun = bases.findLast((base) => (sizes.get(base) ?? 0) >= segmentHeaderBytes);
  const [first, newest] = [bases[0], bases.at(-1)];
  if (first === undefined || newest === undefined || begun === undefined) return undefined;
  const fileName = segmentFileName(begun);
  const { spoolId: id } = decodeSegmentHeader(readHeader(join(directory, fileName)), fileName);
  const end = newest + Math.max(0, (sizes.get(newest) ?? 0) - segmentHeaderBytes);
  return { id, bases, end, bytes: end - first };
}

function readHeader(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(segmentHeaderBytes);
    return header.subarray(0, readSync(file, header, 0, segmentHeaderBytes, 0));
  } finally {
    closeSync(file);
  }
}
