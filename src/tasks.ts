import { forgetIdempotentCalls } from "./access/idempotent-calls.ts";
import { forgetExpiredInvites } from "./access/invites.ts";
import { forgetExpiredSignInLinks } from "./access/users.ts";
import type { App } from "./app.ts";
import { hourMs, minuteMs, secondMs } from "./base/time.ts";
import { dataPaths } from "./data-paths.ts";
import { domainsDueForRecheck, recheckDomain } from "./domains/verify-domain.ts";
import { recordRelease } from "./links/counters.ts";
import { eraseNextPart } from "./links/erase-workspace.ts";
import { forgetReleasedKeys } from "./links/released-keys.ts";
import { renewDaySalts } from "./redirects/day-salts.ts";

/** "again" when more work is waiting, so that the next run follows at once. */
type Outcome = "again" | "idle";
type Task = {
  name: string;
  everyMs: number;
  /** Pause after "again": 0, unless others need a gap. */
  againMs?: number;
  run: (app: App) => Promise<Outcome>;
};

const recheckedAtOnceMax = 20;

/** TABLE of background work. Each task runs by itself, one run at a time. */
const tasks: readonly Task[] = [
  { name: "ingest", everyMs: 250, run: ingestNextBatch },
  // The gap lets a mutation of the API have SQLite's write lock in between.
  { name: "counters", everyMs: 250, againMs: 10, run: countNextBatch },
  { name: "checkpoint", everyMs: 250, run: checkpoint },
  { name: "releaseSpool", everyMs: 250, run: releasePassed },
  { name: "daySalts", everyMs: hourMs, run: renewSalts },
  { name: "recheckDomains", everyMs: minuteMs, run: recheckDomains },
  { name: "releasedKeys", everyMs: hourMs, run: forgetKeys },
  { name: "signInLinks", everyMs: hourMs, run: forgetSignInLinks },
  { name: "idempotentCalls", everyMs: 10 * minuteMs, againMs: 10, run: forgetIdempotentCalls },
  { name: "invites", everyMs: hourMs, run: forgetInvites },
  // The gap lets others have the write lock, and visitors the event loop, in between.
  { name: "erasures", everyMs: secondMs, againMs: 20, run: eraseWorkspaces },
];

/** A try costs milliseconds, and what was out of order shows again soon after it is repaired. */
const backOffMaxMs = 5 * secondMs;

/** Runs every task of the table until `stop` is called, which resolves when the runs under way have ended. */
export function startTasks(app: App): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = tasks.map((task) => loop(app, task, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop(app: App, task: Task, stopping: AbortSignal): Promise<void> {
  let failures = 0;
  while (!stopping.aborted) {
    let pauseMs = task.everyMs;
    try {
      if ((await task.run(app)) === "again") pauseMs = task.againMs ?? 0;
      failures = 0;
    } catch (error) {
      failures++;
      pauseMs = Math.min(backOffMaxMs, task.everyMs * 2 ** Math.min(failures, 10));
      app.metrics.taskFailures.inc({ task: task.name });
      app.log.error("A background task failed and will be tried again.", { task: task.name, failures, pauseMs, error });
    }
    await pause(pauseMs, stopping);
  }
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stopping.addEventListener("abort", end);
  });
}

/** Moves what is left in the spool into the store and the counters: the last step before closing. */
export async function drain(app: App, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && app.cursors.store < app.spool.end()) await ingestNextBatch(app);
  while (!signal.aborted && app.cursors.counters < app.spool.end()) await countNextBatch(app);
}

/** A reader that lags by less takes a pause first: few large batches cost less than many small ones. */
const againLagBytes = 1024 ** 2;

async function ingestNextBatch(app: App): Promise<Outcome> {
  // Looked at before the thread is asked: an idle service does nothing at all.
  if (app.cursors.store >= app.spool.end()) return "idle";
  const spool = { spoolId: app.spool.id, directory: dataPaths(app.config).spool };
  const { cursor, stored, missedBytes } = await app.pipeline.ingest(spool);
  if (missedBytes > 0) {
    app.log.error("Clicks were deleted from the spool before the store had them. Was an older store restored?", {
      missedBytes,
    });
  }
  app.cursors.store = cursor;
  app.metrics.stored.inc(stored);
  return app.spool.end() - cursor > againLagBytes ? "again" : "idle";
}

async function countNextBatch(app: App): Promise<Outcome> {
  if (app.cursors.counters >= app.spool.end()) return "idle";
  const cursor = await app.counters.count({ spoolId: app.spool.id, directory: dataPaths(app.config).spool });
  app.cursors.counters = cursor;
  return app.spool.end() - cursor > againLagBytes ? "again" : "idle";
}

/** Lets the spool delete what both readers have passed; asked for when idle too, since a full disk needs the room. */
async function releasePassed(app: App): Promise<Outcome> {
  const position = Math.min(app.cursors.store, app.cursors.counters);
  if (!app.spool.canRelease(position)) return "idle";
  await recordRelease(app.db, app.spool.id, position);
  app.spool.release(position);
  return "idle";
}

/** Only where something was written since the last time: an idle service does nothing at all. */
async function checkpoint(app: App): Promise<Outcome> {
  const { sqlite } = app.database;
  if (sqlite === undefined) return "idle";
  const written = { commits: sqlite.commits(), counted: app.cursors.counters };
  if (written.commits === app.checkpointed.commits && written.counted === app.checkpointed.counted) return "idle";
  await app.counters.checkpoint();
  app.checkpointed = written;
  return "idle";
}

async function renewSalts(app: App): Promise<Outcome> {
  app.salts.current = await renewDaySalts(app.database, app.now());
  return "idle";
}

async function recheckDomains(app: App): Promise<Outcome> {
  const due = await domainsDueForRecheck(app.db, app.now(), recheckedAtOnceMax);
  for (const domain of due) await recheckDomain(app, domain);
  return "idle";
}

async function forgetKeys(app: App): Promise<Outcome> {
  await forgetReleasedKeys(app);
  return "idle";
}

async function forgetSignInLinks(app: App): Promise<Outcome> {
  await forgetExpiredSignInLinks(app);
  return "idle";
}

async function forgetInvites(app: App): Promise<Outcome> {
  await forgetExpiredInvites(app);
  return "idle";
}

async function eraseWorkspaces({ db, now, spool, cursors, pipeline }: App): Promise<Outcome> {
  const eraseClicks = (workspaceId: number) => pipeline.erase(workspaceId);
  return await eraseNextPart({ db, now, spool, storeCursor: () => cursors.store, eraseClicks });
}
