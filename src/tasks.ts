import { forgetAuditEntries } from "./access/audit-log.ts";
import { expireNextClicks } from "./access/click-retention.ts";
import { forgetIdempotentCalls } from "./access/idempotent-calls.ts";
import { forgetExpiredInvites } from "./access/invites.ts";
import { countNextLinks } from "./access/link-count.ts";
import { forgetExpiredMagicLinks } from "./access/magic-links.ts";
import { forgetExpiredSessions } from "./access/sessions.ts";
import { forgetExpiredSignInLinks } from "./access/users.ts";
import type { App } from "./app.ts";
import { makeDueBackup } from "./backup/backup-schedule.ts";
import { pause } from "./base/pause.ts";
import { hourMs, minuteMs, secondMs } from "./base/time.ts";
import { refreshEveryMs } from "./certificates/certificate-cache.ts";
import { countCertificates } from "./certificates/count-certificates.ts";
import { orderDueCertificates } from "./certificates/order-due-certificates.ts";
import { rescheduleCertificates } from "./certificates/reschedule-certificates.ts";
import { isMovingClicks } from "./click-move-folder.ts";
import type { Config } from "./config.ts";
import { databaseBytes } from "./database/database-bytes.ts";
import { eraseNextDomainPart } from "./domains/delete-domain.ts";
import { countDomainsByStatus } from "./domains/domains.ts";
import { recheckDueDomains } from "./domains/recheck-domains.ts";
import { fillNextExample } from "./examples/fill-example.ts";
import { checkFramings } from "./links/check-framing.ts";
import { deleteExpiredReleases } from "./links/released-keys.ts";
import { asLeader } from "./nodes/leader.ts";
import { reportEveryMs } from "./nodes/report-node.ts";
import { rescheduleNotifications } from "./notifications/reschedule-notifications.ts";
import { sendDueNotifications } from "./notifications/send-due-notifications.ts";
import { renewDaySalts } from "./redirects/day-salts.ts";
import { eraseWorkspaces, purgeLinks, readPurges } from "./removal-tasks.ts";
import { copyVisitedLinks, watchReplica } from "./replica-tasks.ts";
import { reportState } from "./report-state.ts";
import { checkpointWrites } from "./spools/checkpoint-writes.ts";
import { type ReaderName, readerNames } from "./spools/cursors.ts";
import { readEach } from "./spools/read-each.ts";
import { spoolReaders } from "./spools/readers.ts";
import { TaskOutages, type WrittenResource } from "./task-outages.ts";

/** "again" if more work is waiting, so that the next run follows at once. */
type Outcome = "again" | "idle";
type Task = {
  name: string;
  everyMs: number | ((config: Config) => number);
  /** Pause after "again"; 0 unless other work needs a gap. */
  againMs?: number;
  /** The longest pause after a failure, for tasks whose attempts cost more than milliseconds. */
  retryMs?: number;
  /** True for work that one node does for all; by default, every node does it for itself. */
  isShared?: true;
  /** For shared work: what each node that does not lead runs. */
  runOfOthers?: Task["run"];
  /** The resource whose full or broken disk is reported when the task fails; the database by default. */
  needs?: WrittenResource;
  /** Declares in its parameter the few resources that it uses. The signal is aborted when the service stops. */
  run: (deps: App, stopping: AbortSignal) => Promise<Outcome>;
};

/** Removed clicks stay in the store's file at most this long. */
const vacuumEveryMs = 10 * minuteMs;

/** A task whose one step does all the work. */
function once(step: (deps: App) => Promise<unknown>): Task["run"] {
  return async (deps) => {
    await step(deps);
    return "idle";
  };
}

/**
 * A task that removes clicks from the store, or adds them beside the spools: not while a backup copies it, and not while
 * its clicks move to ClickHouse.
 */
function removal(run: Task["run"]): Task["run"] {
  return async (deps, stopping) =>
    await deps.removalsLock.shared(async () => (isMovingClicks(deps.config) ? "idle" : await run(deps, stopping)));
}

/** TABLE of background work. Tasks run concurrently, each one run at a time. */
const tasks: readonly Task[] = [
  ...readerNames.map(readerTask),
  { name: "checkpoint", everyMs: 250, run: once(checkpointWrites) },
  { name: "truncateSpools", everyMs: 250, run: truncateSpools },
  { name: "drops", everyMs: secondMs, run: once(watchDrops) },
  { name: "disk", everyMs: 10 * secondMs, run: watchDisk },
  { name: "sizes", everyMs: minuteMs, run: measureSizes },
  { name: "storeLosses", everyMs: secondMs, needs: "store", run: lookForStoreLosses },
  { name: "daySalts", everyMs: hourMs, run: renewSalts },
  { name: "recheckDomains", isShared: true, everyMs: 10 * secondMs, retryMs: minuteMs, run: recheckAnswered },
  {
    name: "recheckUnansweredDomains",
    isShared: true,
    everyMs: 10 * secondMs,
    retryMs: minuteMs,
    run: recheckUnanswered,
  },
  { name: "countDomains", everyMs: minuteMs, run: countDomains },
  { name: "releasedKeys", isShared: true, everyMs: hourMs, run: once(deleteExpiredReleases) },
  { name: "signInLinks", isShared: true, everyMs: hourMs, run: once(forgetExpiredSignInLinks) },
  { name: "magicLinks", isShared: true, everyMs: hourMs, run: once(forgetExpiredMagicLinks) },
  { name: "sessions", isShared: true, everyMs: hourMs, run: once(forgetExpiredSessions) },
  { name: "idempotentCalls", isShared: true, everyMs: 10 * minuteMs, againMs: 10, run: forgetIdempotentCalls },
  { name: "framing", isShared: true, everyMs: secondMs, run: checkDueFramings },
  { name: "auditLog", isShared: true, everyMs: hourMs, againMs: 20, run: expireAuditEntries },
  { name: "invites", isShared: true, everyMs: hourMs, run: once(forgetExpiredInvites) },
  // In the gap other transactions can take the write lock, and redirects the event loop.
  { name: "erasures", isShared: true, everyMs: secondMs, againMs: 20, run: removal(eraseWorkspaces) },
  { name: "examples", isShared: true, everyMs: secondMs, needs: "store", run: removal(fillNextExample) },
  {
    name: "clickRetention",
    isShared: true,
    everyMs: hourMs,
    againMs: secondMs,
    retryMs: minuteMs,
    needs: "store",
    run: removal(expireClicks),
  },
  {
    name: "rewriteStore",
    isShared: true,
    everyMs: vacuumEveryMs,
    retryMs: vacuumEveryMs,
    needs: "store",
    run: removal(vacuumStore),
    runOfOthers: once(pauseStore),
  },
  { name: "linkCounts", isShared: true, everyMs: 10 * secondMs, againMs: 20, run: countLinksOfNext },
  { name: "purges", isShared: true, everyMs: secondMs, run: removal(purgeLinks) },
  { name: "pendingPurges", everyMs: secondMs, run: readPurges },
  { name: "domainErasures", isShared: true, everyMs: secondMs, againMs: 20, run: eraseNextDomainPart },
  {
    name: "notifications",
    isShared: true,
    everyMs: 2 * secondMs,
    againMs: 100,
    retryMs: minuteMs,
    run: sendNotifications,
  },
  { name: "notificationTimes", isShared: true, everyMs: hourMs, againMs: 20, run: rescheduleNotifications },
  {
    name: "certificates",
    isShared: true,
    everyMs: 2 * secondMs,
    againMs: 100,
    retryMs: minuteMs,
    run: orderCertificates,
  },
  { name: "certificateTimes", isShared: true, everyMs: hourMs, run: once(rescheduleCertificates) },
  { name: "certificatesOfOthers", everyMs: refreshEveryMs, run: readCertificatesOfOthers },
  { name: "certificateCounts", everyMs: minuteMs, run: once(countCertificates) },
  { name: "backups", everyMs: 10 * secondMs, run: makeDueBackup },
  { name: "nodeReport", everyMs: reportEveryMs, run: reportToOthers },
  { name: "replica", everyMs: 10 * secondMs, run: once(watchReplica) },
  { name: "visitedLinks", everyMs: secondMs, run: once(copyVisitedLinks) },
  { name: "clock", everyMs: 10 * secondMs, run: once(watchClock) },
  { name: "lookupFile", everyMs: 10 * secondMs, retryMs: 10 * minuteMs, needs: "lookupFile", run: updateLookupFile },
];

async function expireAuditEntries({ db, now, config }: Pick<App, "db" | "now" | "config">): Promise<Outcome> {
  return await forgetAuditEntries({ db, now }, config.WAYPOST_AUDIT_LOG_DAYS);
}

/** Short, since an attempt costs milliseconds and a repaired resource should be used soon. */
const backOffMaxMs = 5 * secondMs;

/** Runs every task of the table until `stop` is called; `stop` resolves when all current runs have ended. */
export function startTasks(app: App): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const outages = new TaskOutages(app);
  const loops = tasks.map((task) => loop(app, task, outages, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      app.lookupFiles.stop().catch(() => {});
      await Promise.all(loops);
    },
  };
}

async function loop(app: App, task: Task, outages: TaskOutages, stopping: AbortSignal): Promise<void> {
  const everyMs = typeof task.everyMs === "number" ? task.everyMs : task.everyMs(app.config);
  let failures = 0;
  while (!stopping.aborted) {
    let pauseMs = everyMs;
    try {
      if ((await runTask(app, task, stopping)) === "again") pauseMs = task.againMs ?? 0;
      failures = 0;
      outages.recordSuccess(task);
    } catch (error) {
      failures++;
      pauseMs = Math.min(task.retryMs ?? backOffMaxMs, everyMs * 2 ** Math.min(failures, 10));
      app.metrics.taskFailures.inc({ task: task.name });
      if (!outages.recordFailure(task, error)) {
        app.log.error("A background task failed and will be retried.", {
          task: task.name,
          failures,
          pauseMs,
          error,
        });
      }
    }
    await pause(pauseMs, stopping);
  }
}

/** Runs a task once; work for all nodes only on the node that leads. */
async function runTask(app: App, task: Task, stopping: AbortSignal): Promise<Outcome> {
  if (app.node === undefined || task.isShared === undefined) return await task.run(app, stopping);
  const token = await app.node.leaderToken(app.db);
  if (token !== undefined) return await asLeader(token, () => task.run(app, stopping));
  return (await task.runOfOthers?.(app, stopping)) ?? "idle";
}

function readerTask(name: ReaderName): Task {
  const { taskName, needs, everyMs, againMs } = spoolReaders[name];
  return { name: taskName, everyMs, againMs, needs, run: (deps, stopping) => readEach(deps, name, stopping) };
}

/** Deletes what all readers have acknowledged, also while idle: a full disk may need the room. */
async function truncateSpools({ readersLock, spools }: Pick<App, "readersLock" | "spools">): Promise<Outcome> {
  await readersLock.shared(() => spools.truncate());
  return "idle";
}

async function watchDisk({ disk, metrics }: Pick<App, "disk" | "metrics">): Promise<Outcome> {
  const { freeBytes, storeBytes } = await disk.check();
  metrics.diskFreeBytes.set(freeBytes);
  metrics.storeBytes.set(storeBytes);
  return "idle";
}

/** Once a minute instead of at each scrape, which anyone with the token can repeat. */
async function measureSizes({ database, metrics }: Pick<App, "database" | "metrics">): Promise<Outcome> {
  metrics.databaseBytes.set(await databaseBytes(database));
  return "idle";
}

async function watchDrops({ drops }: Pick<App, "drops">): Promise<void> {
  drops.check();
}

async function lookForStoreLosses({ storeLosses, metrics }: Pick<App, "metrics" | "storeLosses">): Promise<Outcome> {
  await storeLosses.check();
  metrics.storeLosses.set(storeLosses.current.length);
  return "idle";
}

async function countLinksOfNext({ db, database }: Pick<App, "db" | "database">): Promise<Outcome> {
  return (await countNextLinks({ db, reads: database.reads })) ? "again" : "idle";
}

async function renewSalts({ database, now, salts }: Pick<App, "database" | "now" | "salts">): Promise<Outcome> {
  salts.current = await renewDaySalts(database, now());
  return "idle";
}

type RecheckDeps = Pick<App, "db" | "now" | "resolver">;

async function recheckAnswered(deps: RecheckDeps, stopping: AbortSignal): Promise<Outcome> {
  return await recheckDueDomains(deps, "answered", stopping);
}

async function recheckUnanswered(deps: RecheckDeps, stopping: AbortSignal): Promise<Outcome> {
  return await recheckDueDomains(deps, "unanswered", stopping);
}

async function countDomains({ db, metrics }: Pick<App, "db" | "metrics">): Promise<Outcome> {
  const counts = await countDomainsByStatus(db);
  for (const [state, domains] of Object.entries(counts)) metrics.domains.set({ state }, domains);
  return "idle";
}

async function checkDueFramings(
  app: Pick<App, "config" | "db" | "framingTurn" | "now" | "safeFetch">,
): Promise<Outcome> {
  const checked = await checkFramings({ ...app, appUrl: app.config.WAYPOST_URL, turn: app.framingTurn });
  return checked > 0 ? "again" : "idle";
}

async function reportToOthers(app: App): Promise<Outcome> {
  await reportState(app, "running");
  return "idle";
}

async function expireClicks({ db, now, pipeline }: Pick<App, "db" | "now" | "pipeline">): Promise<Outcome> {
  return await expireNextClicks({ db, now, expire: (scope) => pipeline.expire(scope) });
}

async function vacuumStore(
  { pipeline, metrics, log }: Pick<App, "log" | "metrics" | "pipeline">,
  stopping: AbortSignal,
): Promise<Outcome> {
  const startedAt = performance.now();
  // A vacuum would delay the last clicks when the service stops.
  if (!(await pipeline.maintain(stopping))) {
    await pauseStore({ pipeline });
    return "idle";
  }
  const seconds = (performance.now() - startedAt) / secondMs;
  metrics.vacuumSeconds.observe(seconds);
  log.info("The click store was rewritten without the removed clicks.", { seconds });
  return "idle";
}

/** Ends the idle process of this node. Where maintenance runs, only after one that found nothing to do. */
async function pauseStore({ pipeline }: Pick<App, "pipeline">): Promise<void> {
  await pipeline.pauseIfIdle();
}

async function updateLookupFile({
  lookupFiles,
  metrics,
  log,
}: Pick<App, "log" | "lookupFiles" | "metrics">): Promise<Outcome> {
  const startedAt = performance.now();
  const inUse = await lookupFiles.keep();
  metrics.lookupFileLinks.set(lookupFiles.links);
  if (!inUse?.isNew) return "idle";
  const { links } = inUse.manifest;
  const seconds = (performance.now() - startedAt) / secondMs;
  log.info("The lookup file of the redirects was rewritten.", { links, seconds });
  return "idle";
}

async function orderCertificates({ certificates }: Pick<App, "certificates">, stopping: AbortSignal): Promise<Outcome> {
  if (certificates.orders === undefined) return "idle";
  return await orderDueCertificates(certificates.orders, stopping);
}

/** Only the leader orders certificates; every node serves them, and answers the authority's challenges. */
async function readCertificatesOfOthers({ node, certificates }: Pick<App, "node" | "certificates">): Promise<Outcome> {
  if (node !== undefined) await certificates.source.refresh();
  return "idle";
}

async function sendNotifications(
  {
    db,
    now,
    pipeline,
    mailer,
    log,
    metrics,
    config,
  }: Pick<App, "config" | "db" | "log" | "mailer" | "metrics" | "now" | "pipeline">,
  stopping: AbortSignal,
): Promise<Outcome> {
  const onOutcome = (kind: string, outcome: string) => metrics.notifications.inc({ kind, outcome });
  return await sendDueNotifications(
    { db, now, pipeline, mailer, log, onOutcome, appUrl: config.WAYPOST_URL },
    stopping,
  );
}

async function watchClock({ clock, metrics }: Pick<App, "clock" | "metrics">): Promise<void> {
  if (clock !== undefined) metrics.clockOffset.set(await clock.check());
}
