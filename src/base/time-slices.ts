/** How long a piece of work may keep the event loop before visitors are answered. */
const sliceMsMax = 3;

/**
 * Returns a function that long work awaits between its steps: it lets a turn of the event loop pass when the work has
 * kept the loop for sliceMsMax, and returns at once otherwise.
 */
export function timeSlices(now: () => number = () => performance.now()): () => Promise<void> {
  let startedAt = now();
  return async () => {
    if (now() - startedAt < sliceMsMax) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    startedAt = now();
  };
}

/** Takes a step for each item, one after the other, and rests in between; the results are in the order of the items. */
export async function inSlices<Item, Result>(
  items: Iterable<Item>,
  step: (item: Item) => Result | Promise<Result>,
  rest: () => Promise<void> = timeSlices(),
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(await step(item));
    await rest();
  }
  return results;
}
