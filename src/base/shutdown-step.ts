import type { Log } from "./log.ts";
import { secondMs } from "./time.ts";

/** Waits for a step of stopping, and after `maxMs` no longer: what is under way then ends with the process. */
export async function shutdownStep(log: Log, step: string, maxMs: number, work: Promise<unknown>): Promise<void> {
  const isInTime = await Promise.race([work.then(() => true), Bun.sleep(maxMs).then(() => false)]);
  if (!isInTime) log.warn("A step of stopping is no longer waited for.", { step, seconds: maxMs / secondMs });
}
