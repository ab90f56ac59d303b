import { coreWaitMs } from "./priority.ts";
import { secondMs } from "./time.ts";

/**
 * A thread with a backlog that waits for a core takes it from visitors: the kernel lets even the lowest priority run
 * for up to 4 ms at a time. So the thread then pauses, this many times as long as it waited. A core full of visits
 * answers 99 % of them within 3.1 to 3.4 instead of 4.0 to 4.3 ms (benchmark:redirect).
 */
const pausePerWait = 4;

/** The longest pause between two steps. After a flood of visits, reports are up to date this much later. */
const betweenStepsMaxMs = 30 * secondMs;

/** The longest pause within a step, which a shutdown and everything else that waits for the step wait for. */
const withinStepMaxMs = secondMs / 2;

/** How long a thread pauses after a step in which it waited for a core this long, in milliseconds. */
export function pauseAfterStepMs(waitedMs: number): number {
  return Math.min(waitedMs * pausePerWait, betweenStepsMaxMs);
}

/** The pauses of the calling thread within one step. */
export class CorePauses {
  readonly #maxMs: number;
  #waitedBefore = coreWaitMs();

  /** Without `mayPause`, a pause takes only what its caller demands. */
  constructor(mayPause: boolean) {
    this.#maxMs = mayPause ? withinStepMaxMs : 0;
  }

  /** Pauses as long as the wait for a core since the last pause demands, and at least `atLeastMs`. */
  async pause(atLeastMs = 0): Promise<void> {
    const demanded = (coreWaitMs() - this.#waitedBefore) * pausePerWait;
    const ms = Math.max(atLeastMs, Math.min(demanded, this.#maxMs));
    if (ms >= 1) await Bun.sleep(ms);
    this.#waitedBefore = coreWaitMs();
  }
}
