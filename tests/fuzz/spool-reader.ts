import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { CapturedClick, SpooledClick } from "../../src/clicks/click.ts";
import { SpoolCorrupt, segmentBases, segmentFileName, segmentHeaderBytes } from "../../src/clicks/spool-format.ts";
import { SpoolReader } from "../../src/clicks/spool-reader.ts";
import { appendTick, plainOf, segmentsIn, spoolFolder, testSpool, withoutIds } from "../support/spools.ts";
import { clickPlan, clicksOf } from "./clicks.ts";
import { part } from "./part.ts";
import { target } from "./target.ts";

/** A few bytes, or equal bytes longer than several frames, so that shared values are lost. */
const overwritten = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 90 }),
  fc
    .tuple(fc.integer({ min: 90, max: 1_500 }), fc.nat({ max: 255 }))
    .map(([length, byte]) => Buffer.alloc(length, byte)),
);
/** Damage of one segment: overwritten bytes, or a lost end. */
const damage = fc.record({
  segment: part,
  at: part,
  edit: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("overwrite" as const),
        bytes: overwritten,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut" as const) }) },
  ),
});
const damages = fc.array(damage, { maxLength: 3 });
const segmentBytesMax = fc.constantFrom(1, 600, 64 * 1024 ** 2);
const clicksMax = fc.constantFrom(1, 3, 1_000);

/** More batches than spools of these sizes have. */
const batchesMax = 1_000;

type WrittenFrame = { base: number; offset: number; bytes: Buffer; clicks: CapturedClick[] };

/** A damaged spool yields all clicks of whole frames, or counts them as unknown, and no click that was not written. */
export const spoolReader = target(
  "spool-reader",
  60,
  fc.asyncProperty(clickPlan, segmentBytesMax, damages, clicksMax, async (plan, segmentMax, edits, batchMax) => {
    const { directory, remove } = spoolFolder();
    try {
      const frames = await write(directory, segmentMax, clicksOf(plan));
      for (const edit of edits) apply(directory, edit);
      const found = read(directory, batchMax);
      if (found === undefined) return;
      const written = new Map(frames.flatMap(({ clicks }) => clicks).map((click) => [click.time, plainOf(click)]));
      for (const click of withoutIds(found.clicks)) assert.deepEqual(click, written.get(click.time));
      const times = found.clicks.map(({ time }) => time);
      assert.equal(new Set(times).size, times.length);
      const whole = frames.filter((frame) => isWhole(directory, frame)).flatMap(({ clicks }) => clicks);
      assert.equal(found.clicks.length + found.unknown, whole.length);
      const wholeTimes = new Set(whole.map(({ time }) => time));
      assert(times.every((time) => wholeTimes.has(time)));
      if (edits.length === 0) assert.equal(found.unknown, 0);
    } finally {
      remove();
    }
  }),
);

async function write(directory: string, segmentMax: number, turns: CapturedClick[][]): Promise<WrittenFrame[]> {
  const spool = testSpool(directory, { segmentBytesMax: segmentMax });
  const places: { from: number; to: number; clicks: CapturedClick[] }[] = [];
  for (const clicks of turns) {
    const from = spool.end();
    await appendTick(spool, clicks);
    places.push({ from, to: spool.end(), clicks });
  }
  spool.close();
  const bases = segmentBases(segmentsIn(directory));
  return places.map(({ from, to, clicks }) => {
    const base = bases.findLast((known) => known <= from) ?? 0;
    const offset = segmentHeaderBytes + from - base;
    const bytes = readFileSync(join(directory, segmentFileName(base))).subarray(offset, offset + to - from);
    return { base, offset, bytes, clicks };
  });
}

function isWhole(directory: string, { base, offset, bytes }: WrittenFrame): boolean {
  return readFileSync(join(directory, segmentFileName(base)))
    .subarray(offset, offset + bytes.length)
    .equals(bytes);
}

type Damage = typeof damage extends fc.Arbitrary<infer Edit> ? Edit : never;

function apply(directory: string, { segment, at, edit }: Damage): void {
  const bases = segmentBases(segmentsIn(directory));
  const base = bases[Math.min(bases.length - 1, Math.floor(segment * bases.length))];
  if (base === undefined) return;
  const path = join(directory, segmentFileName(base));
  const bytes = readFileSync(path);
  const offset = Math.floor(at * bytes.length);
  if (edit.kind === "cut") writeFileSync(path, bytes.subarray(0, offset));
  else {
    bytes.set(edit.bytes.subarray(0, bytes.length - offset), offset);
    writeFileSync(path, bytes);
  }
}

/** Everything that can be read; undefined when the spool is refused because a segment's header is damaged. */
function read(directory: string, batchMax: number): { clicks: SpooledClick[]; unknown: number } | undefined {
  const reader = new SpoolReader(directory);
  const clicks: SpooledClick[] = [];
  let unknown = 0;
  let at = 0;
  for (let batches = 0; batches < batchesMax; batches++) {
    try {
      const batch = reader.read(at, batchMax);
      clicks.push(...batch.clicks);
      unknown += batch.unknownClicks;
      if (batch.to === at) return { clicks, unknown };
      assert(batch.to > at);
      at = batch.to;
    } catch (error) {
      if (error instanceof SpoolCorrupt) return undefined;
      throw error;
    }
  }
  throw new Error(`The reader has not come to the end after ${batchesMax} batches.`);
}
