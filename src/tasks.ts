import { expireNextClicks } from "./access/click-retention.ts";
import { forgetIdempotentCalls } from "./access/idempotent-calls.ts";
import { forgetExpiredInvites } from "./access/invites.ts";
import { forgetExpiredSessions } from "./access/sessions.ts";
import { forgetExpiredSignInLinks } from "./access/users.ts";
import type { App } from "./app.ts";
import { diskFailureOf } from "./base/disk-failure.ts";
import { Outage } from "./base/outage.ts";
import { hourMs, minuteMs, secondMs } from "./base/time.ts";
import { eraseNextDomainPart } from "./domains/delete-domain.ts";
import { domainsDueForRecheck, recheckDomain } from "./domains/verify-domain.ts";
import { checkFramings } from "./links/check-framing.ts";
import { eraseNextPart, type StoredSpool } from "./links/erase-workspace.ts";
import { purgeNextClicks } from "./links/purge-clicks.ts";
import { deleteExpiredReleases } from "./links/released-keys.ts";
import { renewDaySalts } from "./redirects/day-salts.ts";
import { type PerReader, readerNames, slowestCursor } from "./spools/cursors.ts";
import { type Reader, spoolReaders } from "./spools/readers.ts";
import type { Spools } from "./spools/spools.ts";

/** "again" when more work is waiting, so that the next run follows at once. */
type Outcome = "again" | "idle";
type Task = {
  name: string;
  everyMs: number;
  /** Pause after "again": 0, unless others need a gap. */
  againMs?: number;
  /** The longest pause after a failure, where a try costs more than milliseconds. */
  retryMs?: number;
  /** What it needs most; the database when left out. */
  needs?: keyof typeof outageMessages;
  run: (app: App) => Promise<Outcome>;
};

const recheckedAtOnceMax = 20;
/** How long the bytes of removed clicks wait in the store's file. */
const rewriteEveryMs = 10 * minuteMs;

/** TABLE of what tasks need, with what the log says while the disk refuses it and afterwards. */
const outageMessages = {
  store: {
    begins: "The click store cannot be used: links redirect, and clicks wait in the spool while it has room.",
    ends: "The click store works again, and stores the clicks that waited.",
  },
  database: {
    begins:
      "The database cannot be written: links redirect, changes fail, and clicks wait to be counted on their links.",
    ends: "The database works again.",
  },
  lookupFile: {
    begins: "The file that redirects look links up in cannot be written: redirects look links up in the database.",
    ends: "The file that redirects look links up in is written again.",
  },
} as const;
type Outages = Record<keyof typeof outageMessages, Outage>;

/** TABLE of background work. Each task runs by itself, one run at a time. */
const tasks: readonly Task[] = [
  ...Object.values(spoolReaders).map(readerTask),
  { name: "checkpoint", everyMs: 250, run: checkpoint },
  { name: "truncateSpools", everyMs: 250, run: truncateSpools },
  { name: "drops", everyMs: secondMs, run: watchDrops },
  { name: "disk", everyMs: 10 * secondMs, run: watchDisk },
  { name: "storeLosses", everyMs: secondMs, needs: "store", run: lookForStoreLosses },
  { name: "daySalts", everyMs: hourMs, run: renewSalts },
  { name: "recheckDomains", everyMs: minuteMs, run: recheckDomains },
  { name: "releasedKeys", everyMs: hourMs, run: forgetKeys },
  { name: "signInLinks", everyMs: hourMs, run: forgetSignInLinks },
  { name: "sessions", everyMs: hourMs, run: forgetSessions },
  { name: "idempotentCalls", everyMs: 10 * minuteMs, againMs: 10, run: forgetIdempotentCalls },
  { name: "framing", everyMs: secondMs, run: checkDueFramings },
  { name: "invites", everyMs: hourMs, run: forgetInvites },
  // The gap lets others have the write lock, and visitors the event loop, in between.
  { name: "erasures", everyMs: secondMs, againMs: 20, run: eraseWorkspaces },
  { name: "clickRetention", everyMs: hourMs, againMs: secondMs, retryMs: minuteMs, needs: "store", run: expireClicks },
  { name: "rewriteStore", everyMs: rewriteEveryMs, retryMs: rewriteEveryMs, needs: "store", run: rewriteStore },
  { name: "purges", everyMs: secondMs, run: purgeLinks },
  { name: "domainErasures", everyMs: secondMs, againMs: 20, run: eraseNextDomainPart },
  { name: "lookupFile", everyMs: 10 * secondMs, retryMs: 10 * minuteMs, needs: "lookupFile", run: updateLookupFile },
];

/** A try costs milliseconds, and what was out of order shows again soon after it is repaired. */
const backOffMaxMs = 5 * secondMs;

/** Runs every task of the table until `stop` is called, which resolves when the runs under way have ended. */
export function startTasks(app: App): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const outages: Outages = {
    store: new Outage(outageMessages.store, app),
    database: new Outage(outageMessages.database, app),
    lookupFile: new Outage(outageMessages.lookupFile, app),
  };
  const loops = tasks.map((task) => loop(app, task, outages[task.needs ?? "database"], stopping.signal));
  return {
    async stop() {
      stopping.abort();
      // What waits in the spools is stored before the end. A store that cannot be asked rewrites nothing.
      app.pipeline.stopVacuum().catch(() => {});
      app.lookupFiles.stop().catch(() => {});
      await Promise.all(loops);
    },
  };
}

async function loop(app: App, task: Task, outage: Outage, stopping: AbortSignal): Promise<void> {
  let failures = 0;
  while (!stopping.aborted) {
    let pauseMs = task.everyMs;
    try {
      if ((await task.run(app)) === "again") pauseMs = task.againMs ?? 0;
      failures = 0;
      outage.recordSuccess(task.name);
    } catch (error) {
      failures++;
      pauseMs = Math.min(task.retryMs ?? backOffMaxMs, task.everyMs * 2 ** Math.min(failures, 10));
      app.metrics.taskFailures.inc({ task: task.name });
      const ofDisk = diskFailureOf(error);
      if (ofDisk !== undefined) outage.recordFailure(task.name, ofDisk);
      else
        app.log.error("A background task failed and will be tried again.", {
          task: task.name,
          failures,
          pauseMs,
          error,
        });
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

/** Lets every reader read the spools to their ends: the last step before closing. */
export async function drain(app: App, signal: AbortSignal): Promise<void> {
  for (const { step } of Object.values(spoolReaders)) {
    for (const spool of app.spools.all()) {
      while (!signal.aborted && (await app.readersLock.shared(() => step(app, spool))).hasMoved);
    }
  }
}

/** A reader that lags by less takes a pause first: few large batches cost less than many small ones. */
const againLagBytes = 1024 ** 2;

function readerTask({ taskName, needs, againMs, step }: Reader): Task {
  return { name: taskName, everyMs: 250, againMs, needs, run: (app) => readEach(app, step) };
}

/** Takes a step in each spool, so that none waits for another's backlog or failure. */
async function readEach(app: App, step: Reader["step"]): Promise<Outcome> {
  let outcome: Outcome = "idle";
  const failures: unknown[] = [];
  for (const spool of app.spools.all()) {
    try {
      const { hasMoved, lagBytes } = await app.readersLock.shared(() => step(app, spool));
      if (hasMoved && lagBytes > againLagBytes) outcome = "again";
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return outcome;
}

/** Deletes what all readers have acknowledged, also while idle: a full disk may need the room. */
async function truncateSpools(app: App): Promise<Outcome> {
  await app.readersLock.shared(() => app.spools.truncate());
  return "idle";
}

async function watchDisk({ disk, metrics }: App): Promise<Outcome> {
  const { freeBytes, storeBytes } = await disk.check();
  metrics.diskFreeBytes.set(freeBytes);
  metrics.storeBytes.set(storeBytes);
  return "idle";
}

async function watchDrops({ drops }: App): Promise<Outcome> {
  drops.check();
  return "idle";
}

async function lookForStoreLosses({ storeLosses, metrics }: App): Promise<Outcome> {
  await storeLosses.check();
  metrics.storeLosses.set(storeLosses.current.length);
  return "idle";
}

/** Only where something was written since the last time: an idle service does nothing at all. */
async function checkpoint(app: App): Promise<Outcome> {
  const { sqlite } = app.database;
  if (sqlite === undefined) return "idle";
  const counted = sumOfDatabaseCursors(app.spools);
  const written = { commits: sqlite.commits(), counted };
  if (written.commits === app.checkpointed.commits && written.counted === app.checkpointed.counted) return "idle";
  await app.counters.checkpoint();
  app.checkpointed = written;
  return "idle";
}

/** Grows with each step of a reader that writes to the database. */
function sumOfDatabaseCursors(spools: Spools): number {
  const names = readerNames.filter((name) => spoolReaders[name].needs === "database");
  return spools.all().reduce((sum, { cursors }) => names.reduce((total, name) => total + cursors[name], sum), 0);
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

async function checkDueFramings({ db, now, safeFetch, config }: App): Promise<Outcome> {
  return (await checkFramings({ db, now, safeFetch, appUrl: config.WAYPOST_URL })) > 0 ? "again" : "idle";
}

async function forgetKeys(app: App): Promise<Outcome> {
  await deleteExpiredReleases(app);
  return "idle";
}

async function forgetSignInLinks(app: App): Promise<Outcome> {
  await forgetExpiredSignInLinks(app);
  return "idle";
}

async function forgetSessions(app: App): Promise<Outcome> {
  await forgetExpiredSessions(app);
  return "idle";
}

async function forgetInvites(app: App): Promise<Outcome> {
  await forgetExpiredInvites(app);
  return "idle";
}

async function eraseWorkspaces({ db, now, spools, pipeline }: App): Promise<Outcome> {
  return await eraseNextPart({
    db,
    now,
    spools: () => readTo(spools, ({ store }) => store),
    eraseClicks: (workspaceId) => pipeline.erase({ workspaceId }),
  });
}

async function purgeLinks({ db, now, spools, pipeline, purges }: App): Promise<Outcome> {
  purges.current = await purgeNextClicks({
    db,
    now,
    spools: () => readTo(spools, slowestCursor),
    eraseClicks: (scope) => pipeline.erase(scope),
  });
  return "idle";
}

/** How far each spool goes, and how far it has been read as `cursor` sees it. */
function readTo(spools: Spools, cursor: (cursors: PerReader) => number): StoredSpool[] {
  return spools.all().flatMap((spool) => {
    const extent = spool.extent();
    return extent === undefined ? [] : [{ id: extent.id, end: extent.end, stored: cursor(spool.cursors) }];
  });
}

async function expireClicks({ db, now, pipeline }: App): Promise<Outcome> {
  return await expireNextClicks({ db, now, expire: (scope) => pipeline.expire(scope) });
}

async function rewriteStore({ pipeline, metrics, log }: App): Promise<Outcome> {
  const startedAt = performance.now();
  if (!(await pipeline.vacuum())) return "idle";
  const seconds = (performance.now() - startedAt) / secondMs;
  metrics.rewriteSeconds.observe(seconds);
  log.info("The click store was written anew, without what was removed from it.", { seconds });
  return "idle";
}

async function updateLookupFile({ lookupFiles, metrics, log }: App): Promise<Outcome> {
  const startedAt = performance.now();
  const inUse = await lookupFiles.keep();
  metrics.lookupFileLinks.set(lookupFiles.links);
  if (!inUse?.isNew) return "idle";
  const { links } = inUse.facts;
  const seconds = (performance.now() - startedAt) / secondMs;
  log.info("The file that redirects look links up in was written anew.", { links, seconds });
  return "idle";
}
