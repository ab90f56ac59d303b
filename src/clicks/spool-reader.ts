import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { Recent } from "../base/recent.ts";
import type { SpooledClick } from "./click.ts";
import {
  decodeSegmentHeader,
  FrameClicks,
  frameBytesMax,
  frameHeaderBytes,
  lookAtFrame,
  SpoolCorrupt,
  segmentBases,
  segmentFileName,
  segmentHeaderBytes,
} from "./spool-format.ts";

/**
 * Clicks between two positions; `to` is where the next batch begins. Both lie on borders of frames.
 * `missedBytes` counts what was deleted before this reader came to it, which only a reader set back (by restoring an
 * older store over a newer spool) ever sees.
 */
export type SpoolBatch = { from: number; to: number; clicks: SpooledClick[]; missedBytes: number };

/** As SpoolBatch, with the clicks still in their frames, so that a reader can stop at the border of any of them. */
export type SpoolFrames = { from: number; to: number; frames: SpoolFrame[]; missedBytes: number };

/**
 * The clicks of one frame, decoded when asked for, which must be in the frames' order; `to` is the position behind them.
 */
export type SpoolFrame = { to: number; count: number; clicks(): FrameClicks };

/** Bytes of a batch; frames beyond it wait for the next. */
const batchBytesMax = 8 * 1024 ** 2;
/** Bytes read at once, so that a small batch reads little. */
const readBytesMax = 256 * 1024;

/** The segment a reader is in, and the values that its frames before `learnt`, a position, have brought along. */
type Segment = { base: number; spoolId: string; values: unknown[]; learnt: number };

/** Spools whose readers are kept in this thread; twice as many at most. */
const readersMax = 100;
const readers = new Recent<string, SpoolReader>(readersMax);

/** The reader of the spool in a folder, which knows what it has learnt there before. */
export function readerOf(directory: string): SpoolReader {
  let reader = readers.get(directory);
  if (reader === undefined) {
    reader = new SpoolReader(directory);
    readers.set(directory, reader);
  }
  return reader;
}

/** The reading end of a spool: it keeps nothing but what it has learnt of the segment it is in, and no file open. */
export class SpoolReader {
  readonly #directory: string;
  #segment: Segment | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Reads whole frames from `position` on, until `clicksMax` clicks are reached or the spool's end; an empty batch at
   * the end, whose `to` may still lie ahead of `from` when only a jump between segments was crossed.
   * Guarantee: what is returned survives power loss.
   * Throws SpoolCorrupt for a damaged frame with clicks behind it.
   */
  read(position: number, clicksMax: number): SpoolBatch {
    const { from, to, frames, missedBytes } = this.readFrames(position, clicksMax);
    const clicks: SpooledClick[] = [];
    for (const frame of frames) {
      const found = frame.clicks();
      for (let index = 0; index < found.length; index++) clicks.push(found.at(index));
    }
    return { from, to, clicks, missedBytes };
  }

  /** As read, with the clicks still in their frames, which are good until the next call. */
  readFrames(position: number, clicksMax: number): SpoolFrames {
    const bases = existsSync(this.#directory) ? segmentBases(readdirSync(this.#directory)) : [];
    const start = Math.max(position, bases[0] ?? position);
    // A reader that starts at 0 is new, and has missed nothing.
    const missedBytes = position === 0 ? 0 : start - position;
    const index = bases.findLastIndex((base) => base <= start);
    const base = bases[index];
    if (base === undefined) return { from: position, to: position, frames: [], missedBytes };

    const { frames, bytesLeft } = this.#readSegment(base, start, clicksMax);
    const last = frames.at(-1);
    if (last !== undefined) return { from: position, to: last.to, frames, missedBytes };
    const next = bases[index + 1];
    if (next === undefined) return { from: position, to: start, frames, missedBytes };
    if (bytesLeft > 0) throw damaged(base, start);
    return { ...this.readFrames(next, clicksMax), from: position, missedBytes };
  }

  #readSegment(base: number, start: number, clicksMax: number) {
    const fileName = segmentFileName(base);
    const file = openSync(join(this.#directory, fileName), "r");
    try {
      fdatasyncSync(file);
      const segment = this.#enter(file, base, fileName, start);
      const bytesLeft = Math.max(0, fstatSync(file).size - segmentHeaderBytes - (start - base));
      const frames: SpoolFrame[] = [];
      for (let clicks = 0, done = 0; clicks < clicksMax && done < batchBytesMax; ) {
        const found = readFrames(file, segment, start + done, clicksMax - clicks);
        const last = found.at(-1);
        if (last === undefined) break;
        frames.push(...found);
        clicks += found.reduce((sum, { count }) => sum + count, 0);
        done = last.to - start;
      }
      return { frames, bytesLeft };
    } finally {
      closeSync(file);
    }
  }

  /** The segment with all that its frames before `start` have brought along: taken on the way, or read again. */
  #enter(file: number, base: number, fileName: string, start: number): Segment {
    const { spoolId } = decodeSegmentHeader(readBytes(file, 0, segmentHeaderBytes), fileName);
    if (this.#segment?.base !== base || this.#segment.spoolId !== spoolId) {
      this.#segment = { base, spoolId, values: [], learnt: base };
    }
    const segment = this.#segment;
    while (segment.learnt < start && learnMore(file, segment, start));
    return segment;
  }
}

/** Takes the values of some more frames before `start`; false at the segment's end, behind which `start` may lie. */
function learnMore(file: number, segment: Segment, start: number): boolean {
  if (fstatSync(file).size <= segmentHeaderBytes + segment.learnt - segment.base) return false;
  const frames = readFrames(file, segment, segment.learnt, Number.POSITIVE_INFINITY);
  const before = frames.filter(({ to }) => to <= start);
  if (before.length === 0) throw damaged(segment.base, frames.length === 0 ? segment.learnt : start);
  for (const frame of before) frame.clicks();
  return true;
}

function damaged(base: number, position: number): SpoolCorrupt {
  const fileName = segmentFileName(base);
  const offset = segmentHeaderBytes + position - base;
  return new SpoolCorrupt(
    `${fileName} is damaged at byte ${offset} with clicks behind it. Stop Waypost, keep a copy of the file, ` +
      `cut it there (truncate -s ${offset} ${fileName}) and start again.`,
  );
}

/** Some whole frames from a position of the segment on, until they hold `clicksMax` clicks; none at its end. */
function readFrames(file: number, segment: Segment, start: number, clicksMax: number): SpoolFrame[] {
  const bytes = readFrameBytes(file, segmentHeaderBytes + start - segment.base);
  const frames: SpoolFrame[] = [];
  let done = 0;
  for (let count = 0; count < clicksMax; ) {
    const look = lookAtFrame(bytes, done);
    if (look.kind === "none") break;
    const position = start + done;
    done += look.bytes.length;
    count += look.clicks;
    const to = start + done;
    const clicks = () => {
      segment.learnt = Math.max(segment.learnt, to);
      return new FrameClicks(look, segment.values, segment.spoolId, position);
    };
    frames.push({ to, count: look.clicks, clicks });
  }
  return frames;
}

/** Up to readBytesMax bytes, or the whole of the first frame where that is longer. */
function readFrameBytes(file: number, offset: number): Buffer {
  const bytes = readBytes(file, offset, readBytesMax);
  const firstFrameBytes = bytes.length < frameHeaderBytes ? 0 : frameHeaderBytes + bytes.readUInt32LE(0);
  if (firstFrameBytes <= bytes.length || firstFrameBytes > frameBytesMax + frameHeaderBytes) return bytes;
  const bytesLeft = fstatSync(file).size - offset;
  return readBytes(file, offset, Math.min(bytesLeft, firstFrameBytes));
}

function readBytes(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
