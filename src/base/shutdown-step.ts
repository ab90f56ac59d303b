import type { Log } from "./log.ts";
import { secondMs } from "./time.ts";

/** Waits up to `maxMs` for one step of the shutdown, and logs a timeout; unfinished work ends with the process. */
export async function shutdownStep(log: Log, step: string, maxMs: number, work: Promise<unknown>): Promise<void> {
  const isInTime = await Promise.race([work.then(() => true), Bun.sleep(maxMs).then(() => false)]);
  if (!isInTime) log.warn("A step of the shutdown timed out.", { step, seconds: maxMs / secondMs });
}
