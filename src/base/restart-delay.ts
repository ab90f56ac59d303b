import { secondMs } from "./time.ts";

/** A process that has lived this long did not fail at its start: the next start does not wait. */
export const steadyMs = 5 * secondMs;
const firstBackOffMs = 100;
const backOffMaxMs = 5 * secondMs;
/** Deaths in a row before the starts are spread out. */
const deathsAtOnceMax = 2;

/** How long the start after a number of deaths in a row waits; each of those lives was shorter than steadyMs. Pure. */
export function restartDelayMs(deathsInRow: number): number {
  if (deathsInRow <= deathsAtOnceMax) return 0;
  return Math.min(backOffMaxMs, firstBackOffMs * 2 ** (deathsInRow - deathsAtOnceMax - 1));
}
