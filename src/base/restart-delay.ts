import { secondMs } from "./time.ts";

/** A process that ran this long did not crash at its start, so its next start is immediate. */
export const stableAfterMs = 5 * secondMs;
const firstBackOffMs = 100;
const backOffMaxMs = 5 * secondMs;
/** How many crashes in a row are followed by an immediate restart. */
const immediateRestartsMax = 2;

/**
 * Returns the delay of the restart after a number of crashes in a row, each within stableAfterMs of its start. Pure.
 */
export function restartDelayMs(crashesInRow: number): number {
  if (crashesInRow <= immediateRestartsMax) return 0;
  return Math.min(backOffMaxMs, firstBackOffMs * 2 ** (crashesInRow - immediateRestartsMax - 1));
}
