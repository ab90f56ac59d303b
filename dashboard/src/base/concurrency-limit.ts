/** Runs pieces of work, a limited number at once; the others wait in order. */
type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a limit of `atOnceMax` pieces of work. Failed work also frees its place. */
export function openConcurrencyLimit(atOnceMax: number): ConcurrencyLimit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running === atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
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
