/**
 * Cuts long work on the main thread into slices, so that visitors are answered in between.
 *
 * 1. A tick of the event loop has one slice, shared by all long work: it ends sliceMsMax after its start, and
 *    unfinished work waits in a queue.
 * 2. Each tick gives its slice to the work that has waited longest.
 */

/** How long the work of one tick may block the event loop. */
const sliceMsMax = 3;

/** The start of this tick's slice; undefined before any work. */
let beganAt: number | undefined;
const waiting: (() => void)[] = [];

/** Awaited between the steps of long work: returns at once while the slice lasts, and in a later tick after that. */
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

/** Maps items one after another, yielding to the event loop between slices; the results keep the order of the items. */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  step: (item: Item) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    // Checked right before the step, because several calls may begin in one tick.
    if (isSliceSpent()) await nextSlice();
    results.push(await step(item));
  }
  return results;
}
