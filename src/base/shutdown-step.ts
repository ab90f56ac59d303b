import { diskFailureOf } from "./disk-failure.ts";
import type { Log } from "./log.ts";
import { secondMs } from "./time.ts";

/** The time after which `docker stop` kills. A stop ends before, also when every step takes its longest time. */
export const stopMaxMs = 10 * secondMs;

/** When the supervisor kills workers, and the main process, that have not ended; since the begin of the stop. */
export const workersEndMaxMs = 4.5 * secondMs;
export const mainEndMaxMs = 9.75 * secondMs;

/**
 * TABLE of the steps of a stop, with the longest time of each in milliseconds. `workers` runs beside `requests` and
 * `connections`; the others follow one after the other.
 */
export const shutdownSteps = {
  requests: 4 * secondMs,
  /** Closes the connections that remain. */
  connections: 0.25 * secondMs,
  /** The supervisor's time for the workers, and that for killing them. */
  workers: workersEndMaxMs + 0.25 * secondMs,
  tasks: secondMs,
  /** Ends the commands of administrators. */
  admin: 0.25 * secondMs,
  clicks: 2 * secondMs,
  report: 0.5 * secondMs,
  closing: 0.75 * secondMs,
  /** Releases the lock of PostgreSQL. */
  release: 0.25 * secondMs,
} as const;

/**
 * Waits for one step of the shutdown up to its time. Logs a timeout or a failure, so that the following steps always run;
 * unfinished work ends with the process.
 */
export async function shutdownStep(log: Log, step: keyof typeof shutdownSteps, work: Promise<unknown>): Promise<void> {
  const maxMs = shutdownSteps[step];
  try {
    const isInTime = await Promise.race([work.then(() => true), Bun.sleep(maxMs).then(() => false)]);
    if (!isInTime) log.warn("A step of the shutdown timed out.", { step, seconds: maxMs / secondMs });
  } catch (error) {
    const cause = diskFailureOf(error);
    const fields = cause === undefined ? {} : { reason: cause.reason, hint: cause.advice };
    log.error("A step of the shutdown failed.", { step, ...fields, error });
  }
}
