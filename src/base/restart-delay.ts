import { secondMs } from "./time.ts";

/** A process that has lived this long did not fail at its start: the next start does not wait. */
export const stableAfterMs = 5 * secondMs;
const firstBackOffMs = 100;
const backOffMaxMs = 5 * secondMs;
/** Deaths in a row before the starts are spread out. */
const immediateRestartsMax = 2;

/** How long the start after a number of deaths in a row waits; each of those lives was shorter than steadyMs. Pure. */
export function restartDelayMs(crashesInRow: number): number {
  if (crashesInRow <= immediateRestartsMax) return 0;
  return Math.min(backOffMaxMs, firstBackOffMs * 2 ** (crashesInRow - immediateRestartsMax - 1));
}
