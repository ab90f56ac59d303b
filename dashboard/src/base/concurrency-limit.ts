/** Runs pieces of work, a limited number at once; the others wait in order. */
type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a limit that runs at most `concurrentMax` calls at the same time; the others wait in order. */
export function openConcurrencyLimit(concurrentMax: number): ConcurrencyLimit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running === concurrentMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line; new work cannot overtake it.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
