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
