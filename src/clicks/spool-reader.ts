import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { CapturedClick } from "./click.ts";
import {
  decodeFrame,
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
export type SpoolBatch = { from: number; to: number; clicks: CapturedClick[]; missedBytes: number };

/** As SpoolBatch, with the clicks still in their frames, so that a reader can stop at the border of any of them. */
export type SpoolFrames = { from: number; to: number; frames: SpoolFrame[]; missedBytes: number };

/** The clicks of one frame, decoded when asked for; `to` is the position behind them. */
export type SpoolFrame = { to: number; count: number; clicks(): CapturedClick[] };

/** Bytes looked at in one read; frames beyond it wait for the next batch. */
const readBytesMax = 8 * 1024 ** 2;
/** Longer than most clicks, so that a small batch reads little. */
const clickBytesGuess = 1_024;

/**
 * Reads whole frames from `position` on, until `clicksMax` clicks are reached or the spool's end; an empty batch at
 * the end, whose `to` may still lie ahead of `from` when only a jump between segments was crossed.
 * Guarantee: what is returned survives power loss.
 * Throws SpoolCorrupt for a damaged frame with clicks behind it.
 */
export function readSpool(directory: string, position: number, clicksMax: number): SpoolBatch {
  const { from, to, frames, missedBytes } = readSpoolFrames(directory, position, clicksMax);
  return { from, to, clicks: frames.flatMap((frame) => frame.clicks()), missedBytes };
}

/** As readSpool, with the clicks still in their frames. */
export function readSpoolFrames(directory: string, position: number, clicksMax: number): SpoolFrames {
  const bases = existsSync(directory) ? segmentBases(readdirSync(directory)) : [];
  const start = Math.max(position, bases[0] ?? position);
  // A reader that starts at 0 is new, and has missed nothing.
  const missedBytes = position === 0 ? 0 : start - position;
  const index = bases.findLastIndex((base) => base <= start);
  const base = bases[index];
  if (base === undefined) return { from: position, to: position, frames: [], missedBytes };

  const { frames, bytesLeft } = readSegment(join(directory, segmentFileName(base)), base, start, clicksMax);
  const last = frames.at(-1);
  if (last !== undefined) return { from: position, to: last.to, frames, missedBytes };
  const next = bases[index + 1];
  if (next === undefined) return { from: position, to: start, frames, missedBytes };
  if (bytesLeft > 0) throw damaged(base, segmentHeaderBytes + start - base);
  return { ...readSpoolFrames(directory, next, clicksMax), from: position, missedBytes };
}

function damaged(base: number, offset: number): SpoolCorrupt {
  const fileName = segmentFileName(base);
  return new SpoolCorrupt(
    `${fileName} is damaged at byte ${offset} with clicks behind it. Stop Waypost, keep a copy of the file, ` +
      `cut it there (truncate -s ${offset} ${fileName}) and start again.`,
  );
}

function readSegment(path: string, base: number, start: number, clicksMax: number) {
  const file = openSync(path, "r");
  try {
    fdatasyncSync(file);
    const offset = segmentHeaderBytes + start - base;
    const bytesLeft = Math.max(0, fstatSync(file).size - offset);
    const bytes = readFrames(file, offset, bytesLeft, Math.min(readBytesMax, clicksMax * clickBytesGuess));
    const frames: SpoolFrame[] = [];
    let done = 0;
    for (let clicks = 0; clicks < clicksMax; ) {
      const look = lookAtFrame(bytes, done);
      if (look.kind === "none") break;
      done += look.bytes;
      clicks += look.count;
      frames.push({ to: start + done, count: look.count, clicks: () => decodeFrame(look.payload) });
    }
    return { frames, bytesLeft };
  } finally {
    closeSync(file);
  }
}

/** Up to `bytesMax` bytes, or the whole of the first frame where that is longer. */
function readFrames(file: number, offset: number, bytesLeft: number, bytesMax: number): Buffer {
  const bytes = readBytes(file, offset, Math.min(bytesLeft, bytesMax));
  const firstFrameBytes = bytes.length < frameHeaderBytes ? 0 : frameHeaderBytes + bytes.readUInt32LE(0);
  if (firstFrameBytes <= bytes.length || firstFrameBytes > frameBytesMax + frameHeaderBytes) return bytes;
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
