import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../base/is-missing.ts";
import { decodeSegmentHeader, segmentBases, segmentFileName, segmentHeaderBytes } from "./spool-format.ts";

/**
 * A spool that another process writes, as its files show it.
 * `end` lies behind its last frame, or amid one that is being written or was torn by a crash: a reader stops before it.
 */
export type SpoolView = { id: string; bases: readonly number[]; end: number; bytes: number };

/**
 * Looks at the spool in a folder; undefined when it has none, or its writer is just making or deleting a segment: then
 * the next look tells. Throws SpoolCorrupt for a segment that cannot be read as written.
 */
export function viewSpool(directory: string): SpoolView | undefined {
  try {
    const bases = segmentBases(readdirSync(directory));
    const [first, newest] = [bases[0], bases.at(-1)];
    if (first === undefined || newest === undefined) return undefined;
    const fileName = segmentFileName(newest);
    const path = join(directory, fileName);
    const { size } = statSync(path);
    if (size < segmentHeaderBytes) return undefined;
    const { spoolId: id } = decodeSegmentHeader(readHeader(path), fileName);
    const end = newest + size - segmentHeaderBytes;
    return { id, bases, end, bytes: end - first };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
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
