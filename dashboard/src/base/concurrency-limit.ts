/** Runs work, at most so many pieces at once; the rest waits its turn in order. */
type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A gate of its own, through which `atOnceMax` pieces of work go at once. Work that fails lets the next one in. */
export function openConcurrencyLimit(atOnceMax: number): ConcurrencyLimit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running === atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Its place goes to the next one, so that nobody comes in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
