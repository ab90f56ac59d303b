import { diskFailureOf } from "../base/disk-failure.ts";
import type { Log } from "../base/log.ts";
import { Outage } from "../base/outage.ts";
import { pause } from "../base/pause.ts";
import { secondMs } from "../base/time.ts";
import { unreachableServerOf } from "../base/unreachable-server.ts";

/** Background work of a redirect worker. */
export type PeriodicJob = { name: string; everyMs: number; run(): Promise<unknown> };

/** The longest pause after a failure. */
const retryMaxMs = 10 * secondMs;

const messages = {
  begins:
    "Background work of a redirect worker fails: links redirect, and clicks wait in the spool as long as it has space.",
  ends: "The background work of a redirect worker succeeds again.",
};

/**
 * Runs each job periodically, never concurrently with itself. A server that does not answer, or a broken disk, is logged
 * when the first job fails, once an hour, and when all jobs work again; each other failure is logged.
 */
export function startPeriodicJobs(
  { log, now }: { log: Log; now: () => number },
  jobs: readonly PeriodicJob[],
): { stop(): void } {
  const stopping = new AbortController();
  const outage = new Outage(messages, { log, now });
  const recordFailure = (name: string, error: unknown) => {
    const cause = diskFailureOf(error) ?? unreachableServerOf(error);
    if (cause !== undefined) outage.recordFailure(name, cause);
    else log.error("Background work of a redirect worker failed, and will be retried.", { job: name, error });
  };
  for (const job of jobs) void repeat(job, stopping.signal, outage, recordFailure);
  return { stop: () => stopping.abort() };
}

async function repeat(
  { name, everyMs, run }: PeriodicJob,
  stopping: AbortSignal,
  outage: Outage,
  recordFailure: (name: string, error: unknown) => void,
): Promise<void> {
  let pauseMs = everyMs;
  for (;;) {
    await pause(pauseMs, stopping);
    if (stopping.aborted) return;
    try {
      await run();
      pauseMs = everyMs;
      outage.recordSuccess(name);
    } catch (error) {
      pauseMs = Math.min(everyMs, retryMaxMs);
      // A job that runs while the worker closes its database fails.
      if (!stopping.aborted) recordFailure(name, error);
    }
  }
}
