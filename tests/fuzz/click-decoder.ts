import assert from "node:assert/strict";
import fc from "fast-check";
import type { CapturedClick, SpooledClick } from "../../src/clicks/click.ts";
import { FrameEncoder } from "../../src/clicks/frame-encoder.ts";
import {
  currentVersion,
  decodeSegmentHeader,
  encodeSegmentHeader,
  FrameClicks,
  frameBytesMax,
  frameHeaderBytes,
  frameLengthAt,
  parseFrame,
  positionOfClick,
  type SegmentValues,
  SpoolCorrupt,
  segmentFileName,
} from "../../src/clicks/spool-format.ts";
import { plainOf, withoutIds } from "../support/spools.ts";
import { clickPlan, clicksOf } from "./clicks.ts";
import { part } from "./part.ts";
import { target } from "./target.ts";

const spoolId = "00112233445566778899aabbccddeeff";
/** An offset as a fraction of a file's length, and the bytes written there. */
const flips = fc.array(fc.tuple(part, fc.integer({ min: 1, max: 255 })), {
  minLength: 1,
  maxLength: 4,
});

/** Decoded clicks equal the written ones; bytes that no encoder wrote decode to none. */
export const clickDecoder = target(
  "click-decoder",
  1_500,
  fc.property(clickPlan, flips, fc.uint8Array({ maxLength: 200 }), (plan, edits, noise) => {
    const turns = clicksOf(plan);
    const frames = encodeAll(turns);
    const values: SegmentValues = { version: currentVersion, known: [], isDamaged: false };
    const clicks: SpooledClick[] = [];
    let position = 0;
    for (const bytes of frames) {
      const look = parseFrame(bytes, 0);
      assert(look.kind === "frame" && look.bytes.length === bytes.length);
      const found = new FrameClicks(look, values, spoolId, position);
      for (let index = 0; index < found.length; index++) clicks.push(found.at(index));
      position += bytes.length;
    }
    assert.deepEqual(withoutIds(clicks), turns.flat().map(plainOf));
    const positions = clicks.map(({ id }) => positionOfClick(id));
    assert.deepEqual(
      positions,
      [...new Set(positions)].sort((left, right) => left - right),
    );

    const damaged = flipped(frames[0] ?? Buffer.alloc(0), edits);
    if (!damaged.equals(frames[0] ?? Buffer.alloc(0))) assert.equal(parseFrame(damaged, 0).kind, "none");
    for (let offset = 0; offset <= noise.length; offset += 4) expectBounded(Buffer.from(noise), offset);
    expectHeaderOrCorrupt(Buffer.from(noise));
    const header = encodeSegmentHeader({ spoolId, base: 64, version: currentVersion });
    assert.deepEqual(decodeSegmentHeader(header, segmentFileName(64)), { spoolId, base: 64, version: currentVersion });
    expectHeaderOrCorrupt(flipped(header, edits));
  }),
);

function encodeAll(turns: readonly CapturedClick[][]): Buffer[] {
  const encoder = new FrameEncoder();
  const written = { values: 0, bytes: 0 };
  return turns.map((clicks) => Buffer.from(encoder.encode(clicks, written)));
}

function flipped(bytes: Buffer, edits: readonly [number, number][]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [part, mask] of edits) {
    const at = Math.min(copy.length - 1, Math.floor(part * copy.length));
    copy[at] = (copy[at] ?? 0) ^ mask;
  }
  return copy;
}

function expectBounded(bytes: Buffer, offset: number): void {
  const length = frameLengthAt(bytes, offset);
  assert(length === undefined || length <= frameBytesMax + frameHeaderBytes);
  assert.equal(parseFrame(bytes, offset).kind, "none");
}

function expectHeaderOrCorrupt(bytes: Buffer): void {
  try {
    decodeSegmentHeader(bytes, segmentFileName(64));
  } catch (error) {
    assert(error instanceof SpoolCorrupt, String(error));
  }
}
