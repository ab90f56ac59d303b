/**
 * Long work on the main thread is cut into slices, so that visitors are answered in between.
 *
 * 1. A turn of the event loop has one slice, however many calls have long work: it ends sliceMsMax after the first one
 *    began, and what still has work to do waits in a queue.
 * 2. Each turn takes one waiting call off the queue, the one that has waited longest, and gives it the slice.
 */

/** How long the work of one turn may keep the event loop before visitors are answered. */
const sliceMsMax = 3;

/** When the slice of this turn began; undefined while no work has been done in it. */
let beganAt: number | undefined;
const waiting: (() => void)[] = [];

/** Awaited between the steps of long work: returns at once while the slice lasts, and in a later turn after that. */
export async function yieldIfSliceSpent(): Promise<void> {
  if (isSliceSpent()) await nextSlice();
}

function isSliceSpent(): boolean {
  return performance.now() - (beganAt ?? beginSlice()) >= sliceMsMax;
}

async function nextSlice(): Promise<void> {
  await new Promise<void>((resolve) => waiting.push(resolve));
}

function beginSlice(): number {
  beganAt = performance.now();
  setImmediate(endTick);
  return beganAt;
}

function endTick(): void {
  beganAt = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  beginSlice();
  next();
}

/** Takes a step for each item, one after the other, and rests in between; the results are in the order of the items. */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  step: (item: Item) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    // Asked at the last moment: several calls may begin in one turn.
    if (isSliceSpent()) await nextSlice();
    results.push(await step(item));
  }
  return results;
}
