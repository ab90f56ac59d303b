import { randomBytes } from "node:crypto";
import * as nodeFiles from "node:fs";
import { join } from "node:path";
import {
  decodeSegmentHeader,
  lookAtFrame,
  SpoolCorrupt,
  segmentBases,
  segmentFileName,
  segmentHeaderBytes,
} from "./spool-format.ts";

/**
 * What a folder holds. `tornBytes` of the `cutBytes` are still to be cut. `writtenAt` is when the newest segment was last
 * written, and `values` how many shared values it has.
 */
export type Recovered = {
  id: string;
  bases: number[];
  end: number;
  tornBytes: number;
  cutBytes: number;
  writtenAt: number;
  values: number;
};

/** Looks at the segments in a folder, and removes a newest one without a header; see spool.ts, invariant 7. */
export function recover(directory: string): Recovered {
  const bases = segmentBases(nodeFiles.readdirSync(directory));
  const newest = bases.at(-1);
  // A crash while a segment was being made leaves less than a header, power loss zeros: and so no synced clicks.
  if (newest !== undefined && !hasHeader(join(directory, segmentFileName(newest)))) {
    const path = join(directory, segmentFileName(newest));
    const { size } = nodeFiles.statSync(path);
    nodeFiles.unlinkSync(path);
    const before = recover(directory);
    return { ...before, cutBytes: before.cutBytes + size };
  }
  let id: string | undefined;
  for (const base of bases) {
    const fileName = segmentFileName(base);
    const { spoolId } = decodeSegmentHeader(readStart(join(directory, fileName)), fileName);
    if (id !== undefined && id !== spoolId) {
      throw new SpoolCorrupt(`${fileName} belongs to another spool. Move it out of the spool folder and start again.`);
    }
    id = spoolId;
  }
  if (newest === undefined || id === undefined) {
    const id = randomBytes(16).toString("hex");
    return { id, bases: [], end: 0, tornBytes: 0, cutBytes: 0, writtenAt: 0, values: 0 };
  }
  const path = join(directory, segmentFileName(newest));
  const { framesEnd, size, values } = measure(path);
  const tornBytes = size - framesEnd;
  const end = newest + framesEnd - segmentHeaderBytes;
  // File systems tell parts of a millisecond, clocks do not: never in the future.
  const writtenAt = Math.floor(nodeFiles.statSync(path).mtimeMs);
  return { id, bases, end, tornBytes, cutBytes: tornBytes, writtenAt, values };
}

function hasHeader(path: string): boolean {
  const start = readStart(path);
  return start.length === segmentHeaderBytes && start.some((byte) => byte !== 0);
}

function readStart(path: string): Buffer {
  const file = nodeFiles.openSync(path, "r");
  try {
    const header = Buffer.alloc(segmentHeaderBytes);
    const length = nodeFiles.readSync(file, header, 0, segmentHeaderBytes, 0);
    return header.subarray(0, length);
  } finally {
    nodeFiles.closeSync(file);
  }
}

/** Where the whole frames of a segment end, as a file offset, what they hold, and the file's size. */
export function measure(path: string): { framesEnd: number; size: number; clicks: number; values: number } {
  const bytes = nodeFiles.readFileSync(path);
  let framesEnd = segmentHeaderBytes;
  let clicks = 0;
  let values = 0;
  for (let look = lookAtFrame(bytes, framesEnd); look.kind === "frame"; look = lookAtFrame(bytes, framesEnd)) {
    framesEnd += look.bytes.length;
    clicks += look.clicks;
    values = look.valuesBefore + look.valuesAdded;
  }
  return { framesEnd, size: bytes.length, clicks, values };
}
