import { randomBytes } from "node:crypto";
import * as nodeFiles from "node:fs";
import { join } from "node:path";
import { clicksUpperBound, nextWholeFrame, tailKind } from "./spool-damage.ts";
import {
  currentVersion,
  decodeSegmentHeader,
  encodeSegmentHeader,
  frameAlignment,
  isHeaderWhole,
  isReadable,
  parseFrame,
  type SegmentHeader,
  SpoolCorrupt,
  segmentBases,
  segmentFileName,
  segmentHeaderBytes,
} from "./spool-format.ts";

/**
 * The state of a spool folder. Of `cutBytes`, `tornBytes` are still to be cut. `writtenAt` is the time of the last
 * write to the newest segment, and `values` its number of shared values. If `isSealed`, nothing may be appended to the
 * newest segment, because it ends in damage or another version wrote it. `unreadableEnd` is the end of the last segment
 * whose version this program cannot read; its position is 0 if there is none.
 */
export type Recovered = {
  id: string;
  bases: number[];
  end: number;
  tornBytes: number;
  cutBytes: number;
  writtenAt: number;
  values: number;
  isSealed: boolean;
  unreadableEnd: { position: number; fileName: string; version: string };
  repairs: SegmentRepair[];
};

/**
 * The repair of a segment with a damaged header. The header is written again if other segments tell which spool it
 * belongs to. Otherwise the file is renamed, with at most `clicksMax` clicks that no reader will find.
 */
type SegmentRepair =
  | { kind: "repaired"; fileName: string }
  | { kind: "setAside"; fileName: string; savedAs: string; clicksMax: number };

/** Reads the state of the folder and removes a newest segment without a header; see spool.ts, invariant 7. */
export function recover(directory: string): Recovered {
  const cutBytes = removeEmptySegments(directory);
  const { headers, repairs } = readHeaders(directory);
  const [first] = headers;
  const newest = headers.at(-1);
  const noneUnreadable = { position: 0, fileName: "", version: "" };
  if (first === undefined || newest === undefined) {
    const id = randomBytes(16).toString("hex");
    const nothing = { bases: [], end: 0, tornBytes: 0, writtenAt: 0, values: 0, isSealed: false };
    return { id, ...nothing, cutBytes, unreadableEnd: noneUnreadable, repairs };
  }
  const unreadable = headers.findLast((header) => !isReadable(header.version) && clickBytesOf(directory, header) > 0);
  const unreadableEnd =
    unreadable === undefined
      ? noneUnreadable
      : {
          position: unreadable.base + clickBytesOf(directory, unreadable),
          fileName: segmentFileName(unreadable.base),
          version: unreadable.version,
        };
  const tail = inspectNewest(directory, newest);
  const bases = headers.map(({ base }) => base);
  return { id: first.spoolId, bases, ...tail, cutBytes: cutBytes + tail.tornBytes, unreadableEnd, repairs };
}

/**
 * A crash during the creation of a segment leaves a partial header, power loss leaves zeros: neither has synced clicks.
 */
function removeEmptySegments(directory: string): number {
  let cutBytes = 0;
  for (const base of segmentBases(nodeFiles.readdirSync(directory)).reverse()) {
    const path = join(directory, segmentFileName(base));
    if (hasHeader(path)) break;
    cutBytes += nodeFiles.statSync(path).size;
    nodeFiles.unlinkSync(path);
  }
  return cutBytes;
}

/** False for a segment with a partial header or zeros, and so without clicks: the next opening removes it. */
export function hasHeader(path: string): boolean {
  const start = readHeaderBytes(path);
  if (start.length < segmentHeaderBytes) return false;
  // Frames after zeros were synced after the header was written, so the zeros are damage.
  return start.some((byte) => byte !== 0) || nextWholeFrame(nodeFiles.readFileSync(path), 0) !== undefined;
}

/** The headers of all segments, ascending, after repairs. */
function readHeaders(directory: string): { headers: SegmentHeader[]; repairs: SegmentRepair[] } {
  const headers: SegmentHeader[] = [];
  const damaged: number[] = [];
  for (const base of segmentBases(nodeFiles.readdirSync(directory))) {
    const fileName = segmentFileName(base);
    const start = readHeaderBytes(join(directory, fileName));
    if (isHeaderWhole(start)) headers.push(decodeSegmentHeader(start, fileName));
    else damaged.push(base);
  }
  const [first] = headers;
  const foreign = headers.find(({ spoolId }) => spoolId !== first?.spoolId);
  if (foreign !== undefined) {
    const fileName = segmentFileName(foreign.base);
    throw new SpoolCorrupt(`${fileName} belongs to another spool. Move it out of the spool folder and start again.`);
  }
  const repairs = damaged.map((base): SegmentRepair => {
    if (first === undefined) return setAside(directory, base);
    // A neighbor's version: an upgrade begins a new segment, so all but the oldest have the same version.
    const { version } = headers.findLast((header) => header.base < base) ?? first;
    const header = { spoolId: first.spoolId, base, version };
    rewriteHeader(join(directory, segmentFileName(base)), header);
    headers.push(header);
    return { kind: "repaired", fileName: segmentFileName(base) };
  });
  return { headers: headers.sort((left, right) => left.base - right.base), repairs };
}

function setAside(directory: string, base: number): SegmentRepair {
  const fileName = segmentFileName(base);
  const path = join(directory, fileName);
  const clicksMax = clicksUpperBound(nodeFiles.readFileSync(path).subarray(segmentHeaderBytes));
  const savedAs = `${path}-0.damaged`;
  nodeFiles.renameSync(path, savedAs);
  return { kind: "setAside", fileName, savedAs, clicksMax };
}

function rewriteHeader(path: string, header: SegmentHeader): void {
  const file = nodeFiles.openSync(path, "r+");
  try {
    nodeFiles.writeSync(file, encodeSegmentHeader(header), 0, segmentHeaderBytes, 0);
    nodeFiles.fdatasyncSync(file);
  } finally {
    nodeFiles.closeSync(file);
  }
}

function clickBytesOf(directory: string, { base }: SegmentHeader): number {
  return nodeFiles.statSync(join(directory, segmentFileName(base))).size - segmentHeaderBytes;
}

/** The position where appending continues, in the newest segment or after it. */
function inspectNewest(directory: string, { base, version }: SegmentHeader) {
  const path = join(directory, segmentFileName(base));
  // File systems have a finer clock than Date.now: round down, so that the time is never in the future.
  const writtenAt = Math.floor(nodeFiles.statSync(path).mtimeMs);
  const { framesEnd, size, values, tail } = measureSegment(path);
  const positionOf = (offset: number) =>
    base + Math.ceil((offset - segmentHeaderBytes) / frameAlignment) * frameAlignment;
  if (tail === "damaged" || !isReadable(version)) {
    return { end: positionOf(size), tornBytes: 0, writtenAt, values, isSealed: true };
  }
  const isSealed = version !== currentVersion;
  return { end: positionOf(framesEnd), tornBytes: size - framesEnd, writtenAt, values, isSealed };
}

function readHeaderBytes(path: string): Buffer {
  const file = nodeFiles.openSync(path, "r");
  try {
    const header = Buffer.alloc(segmentHeaderBytes);
    const length = nodeFiles.readSync(file, header, 0, segmentHeaderBytes, 0);
    return header.subarray(0, length);
  } finally {
    nodeFiles.closeSync(file);
  }
}

/** The content of a segment's file. */
type SegmentMeasure = {
  /** The end of its last whole frame, as a file offset, and the kind of bytes behind it. */
  framesEnd: number;
  tail: ReturnType<typeof tailKind>;
  size: number;
  clicks: number;
  /** The number of shared values in its whole frames. */
  values: number;
  /** Damaged bytes between whole frames. */
  gapBytes: number;
};

/** Measures a segment of a version that this program reads. */
export function measureSegment(path: string): SegmentMeasure {
  const bytes = nodeFiles.readFileSync(path);
  let [framesEnd, clicks, values, gapBytes] = [segmentHeaderBytes, 0, 0, 0];
  for (;;) {
    const frame = parseFrame(bytes, framesEnd);
    if (frame.kind === "frame") {
      framesEnd += frame.bytes.length;
      clicks += frame.clicks;
      values = frame.valuesBefore + frame.valuesAdded;
      continue;
    }
    const resumeAt = nextWholeFrame(bytes, framesEnd);
    if (resumeAt === undefined) break;
    gapBytes += resumeAt - framesEnd;
    framesEnd = resumeAt;
  }
  return { framesEnd, tail: tailKind(bytes, framesEnd), size: bytes.length, clicks, values, gapBytes };
}
