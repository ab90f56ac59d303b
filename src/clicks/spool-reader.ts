import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LruCache } from "../base/lru-cache.ts";
import type { SpooledClick } from "./click.ts";
import { type Gap, nextWholeFrame, readBytes } from "./spool-damage.ts";
import {
  decodeSegmentHeader,
  FrameClicks,
  frameAlignment,
  frameBytesMax,
  frameHeaderBytes,
  isReadable,
  parseFrame,
  type SegmentValues,
  segmentBases,
  segmentFileName,
  segmentHeaderBytes,
  unreadableVersion,
} from "./spool-format.ts";

/**
 * Clicks between two positions, both at borders of frames; the next batch begins at `to`. `missedBytes` counts bytes
 * that were deleted before this reader reached them, as after restoring an older store beside a newer spool. `gaps` are
 * the damaged bytes that were skipped. `unknownClicks` counts clicks in whole frames that refer to a value of a damaged
 * frame.
 */
export type SpoolBatch = {
  from: number;
  to: number;
  clicks: SpooledClick[];
  missedBytes: number;
  gaps: Gap[];
  unknownClicks: number;
};

/** Like SpoolBatch, with the clicks still in their frames, so that a reader can stop after any frame. */
type SpoolFrames = { from: number; to: number; frames: SpoolFrame[]; missedBytes: number; gaps: Gap[] };

/** The clicks of one frame, decoded on demand, in the order of the frames. `from` and `to` are positions. */
type SpoolFrame = { from: number; to: number; count: number; clicks(): FrameClicks };

/** Bytes of a batch; later frames belong to the next batch. */
const batchBytesMax = 8 * 1024 ** 2;
/** Bytes of one read, so that a small batch reads little. */
const readBytesMax = 256 * 1024;

/** The segment that a reader is in. Its values include those of all frames before the position `learnedUpTo`. */
type Segment = { base: number; spoolId: string; values: SegmentValues; learnedUpTo: number };

/** Readers cached in this thread; at most twice as many. */
const readersMax = 100;
const readers = new LruCache<string, SpoolReader>(readersMax);

/** The cached reader of the spool in a folder. */
export function readerOf(directory: string): SpoolReader {
  let reader = readers.get(directory);
  if (reader === undefined) {
    reader = new SpoolReader(directory);
    readers.set(directory, reader);
  }
  return reader;
}

/** Reads a spool. It keeps the shared values of its current segment, and no open file. */
export class SpoolReader {
  readonly #directory: string;
  #segment: Segment | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Reads whole frames from `position` on, until it has `clicksMax` clicks or reaches the end. At the end the batch is
   * empty; its `to` may still be greater than `from`, after a jump between segments or damage.
   * With `end`, the end of an earlier batch from the same position, it reads that batch again.
   * Guarantee: the returned clicks survive power loss.
   * Throws SpoolCorrupt for a segment of a version that this program cannot read.
   */
  read(position: number, clicksMax: number, end?: number): SpoolBatch {
    const { frames, gaps, ...batch } = this.readFrames(position, clicksMax);
    if (end === undefined) return { ...batch, gaps, ...clicksOf(frames) };
    // Bytes of a spool do not change, so these frames are those of the earlier batch, or what a loss of bytes has left.
    const earlier = frames.filter(({ to }) => to <= end);
    return { ...batch, gaps: gaps.filter(({ to }) => to <= end), to: end, ...clicksOf(earlier) };
  }

  /**
   * Like read, with the clicks still in their frames, to be decoded in order. They stay valid during later calls: each
   * has its bytes, and no number of a segment's shared values gets another value.
   */
  readFrames(position: number, clicksMax: number): SpoolFrames {
    const bases = existsSync(this.#directory) ? segmentBases(readdirSync(this.#directory)) : [];
    const start = Math.max(position, bases[0] ?? position);
    const missedBytes = start - position;
    const index = bases.findLastIndex((base) => base <= start);
    const base = bases[index];
    if (base === undefined) return { from: position, to: position, frames: [], missedBytes, gaps: [] };

    const next = bases[index + 1];
    const { frames, gaps, to, end } = this.#readSegment(base, start, clicksMax, next !== undefined);
    const isPassed = next !== undefined && frames.length === 0 && to >= end;
    if (!isPassed) return { from: position, to, frames, missedBytes, gaps };
    const following = this.readFrames(next, clicksMax);
    return { ...following, from: position, missedBytes, gaps: [...gaps, ...following.gaps] };
  }

  #readSegment(base: number, start: number, clicksMax: number, isClosed: boolean): WalkResult & { end: number } {
    const fileName = segmentFileName(base);
    const file = openSync(join(this.#directory, fileName), "r");
    try {
      fdatasyncSync(file);
      const end = base + Math.max(0, fstatSync(file).size - segmentHeaderBytes);
      if (start >= end) return { frames: [], gaps: [], to: start, end };
      const segment = this.#enterSegment(file, base, fileName, start);
      return { ...walk(file, segment, start, { clicksMax, isClosed }), end };
    } finally {
      closeSync(file);
    }
  }

  /** The segment with the shared values of all frames before `start`, which are read again if necessary. */
  #enterSegment(file: number, base: number, fileName: string, start: number): Segment {
    const { spoolId, version } = decodeSegmentHeader(readBytes(file, 0, segmentHeaderBytes), fileName);
    if (!isReadable(version)) throw unreadableVersion(fileName, version);
    if (this.#segment?.base !== base || this.#segment.spoolId !== spoolId) {
      this.#segment = { base, spoolId, values: { version, known: [], isDamaged: false }, learnedUpTo: base };
    }
    const segment = this.#segment;
    while (segment.learnedUpTo < start) {
      const { frames, to } = walk(file, segment, segment.learnedUpTo, { clicksMax: Infinity, isClosed: true });
      for (const frame of frames) if (frame.from < start) frame.clicks();
      segment.learnedUpTo = Math.max(segment.learnedUpTo, Math.min(to, start));
    }
    return segment;
  }
}

function clicksOf(frames: readonly SpoolFrame[]): Pick<SpoolBatch, "clicks" | "unknownClicks"> {
  const clicks: SpooledClick[] = [];
  let unknownClicks = 0;
  for (const frame of frames) {
    const found = frame.clicks();
    for (let index = 0; index < found.length; index++) {
      if (found.isKnown(index)) clicks.push(found.at(index));
      else unknownClicks++;
    }
  }
  return { clicks, unknownClicks };
}

/** Frames and gaps between two positions of a segment; `to` is where the reader continues. */
type WalkResult = { frames: SpoolFrame[]; gaps: Gap[]; to: number };
type WalkBounds = { clicksMax: number; isClosed: boolean };

/**
 * Reads frames from a position on and skips damaged bytes. At the end of a segment that is still being written, bytes
 * that form no whole frame are left for later: they may become one. A gap after the last frame of the batch belongs to
 * the next batch.
 */
function walk(file: number, segment: Segment, start: number, { clicksMax, isClosed }: WalkBounds): WalkResult {
  const frames: SpoolFrame[] = [];
  const gaps: Gap[] = [];
  let at = start;
  for (let clicks = 0; clicks < clicksMax && at - start < batchBytesMax; ) {
    const found = readFrames(file, segment, at, clicksMax - clicks);
    for (const frame of found) frames.push(frame);
    clicks += found.reduce((sum, { count }) => sum + count, 0);
    const last = found.at(-1);
    if (last !== undefined) {
      at = last.to;
      continue;
    }
    const { resumeAt, end } = findNextFrame(file, segment, at);
    if (resumeAt === undefined && (!isClosed || frames.length > 0 || at === end)) break;
    const to = resumeAt ?? end;
    if (to > at) gaps.push({ base: segment.base, from: at, to });
    segment.values.isDamaged ||= to > at;
    at = to;
  }
  return { frames, gaps, to: at };
}

/** Finds the next whole frame, which is at `from` if it was completed since, and the current end of the segment. */
function findNextFrame(file: number, segment: Segment, from: number): { resumeAt: number | undefined; end: number } {
  const start = segmentHeaderBytes + from - segment.base;
  const bytes = readBytes(file, start, Math.max(0, fstatSync(file).size - start));
  const end = from + bytes.length;
  if (parseFrame(bytes, 0).kind === "frame") return { resumeAt: from, end };
  const offset = nextWholeFrame(bytes, (frameAlignment - (start % frameAlignment)) % frameAlignment);
  return { resumeAt: offset === undefined ? undefined : from + offset, end };
}

/** Reads whole frames from a position of the segment on, until they hold `clicksMax` clicks; none at its end. */
function readFrames(file: number, segment: Segment, start: number, clicksMax: number): SpoolFrame[] {
  const bytes = readFrameBytes(file, segmentHeaderBytes + start - segment.base);
  const frames: SpoolFrame[] = [];
  let done = 0;
  for (let count = 0; count < clicksMax; ) {
    const parsed = parseFrame(bytes, done);
    if (parsed.kind === "none") break;
    const position = start + done;
    done += parsed.bytes.length;
    count += parsed.clicks;
    const to = start + done;
    const clicks = () => {
      segment.learnedUpTo = Math.max(segment.learnedUpTo, to);
      return new FrameClicks(parsed, segment.values, segment.spoolId, position);
    };
    frames.push({ from: position, to, count: parsed.clicks, clicks });
  }
  return frames;
}

/** Up to readBytesMax bytes, or the whole first frame if it is longer. */
function readFrameBytes(file: number, offset: number): Buffer {
  const bytes = readBytes(file, offset, readBytesMax);
  const firstFrameBytes = bytes.length < frameHeaderBytes ? 0 : frameHeaderBytes + bytes.readUInt32LE(0);
  if (firstFrameBytes <= bytes.length || firstFrameBytes > frameBytesMax + frameHeaderBytes) return bytes;
  const bytesLeft = fstatSync(file).size - offset;
  return readBytes(file, offset, Math.min(bytesLeft, firstFrameBytes));
}
