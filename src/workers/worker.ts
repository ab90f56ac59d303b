/**
 * A redirect worker answers visits of short links on the public port, which the workers share, and forwards all other
 * requests to the main process. It works without the main process: it needs only the database and its own spool. While
 * PostgreSQL is down, it starts with this node's copies of the links and the certificates.
 */
import type { Log } from "../base/log.ts";
import { shutdownStep } from "../base/shutdown-step.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import { refreshEveryMs } from "../certificates/certificate-cache.ts";
import { openCertificateCache, openCopiedCertificates } from "../certificates/certificates.ts";
import { DropWatch } from "../clicks/drop-watch.ts";
import { LossRecord } from "../clicks/lost-clicks.ts";
import { openSpool, type Spool } from "../clicks/spool.ts";
import { TextBudget } from "../clicks/text-budget.ts";
import type { DaySalts } from "../clicks/visitor.ts";
import type { Config } from "../config.ts";
import { dataPaths, workerSocketPath, workerSpoolPath } from "../data-paths.ts";
import { isDatabaseUnavailable } from "../database/availability.ts";
import { connect, type Database } from "../database/database.ts";
import { databaseLocation } from "../database-location.ts";
import { DiskWatch } from "../disk-watch.ts";
import { instanceSlug } from "../domains/domain.ts";
import type { Ports } from "../http1/ports.ts";
import { openPublicListener, type PublicListener } from "../http1/public-listener.ts";
import { acknowledgedPosition } from "../links/counters.ts";
import { redirectTimes } from "../metrics.ts";
import { openSharedAttempts } from "../open-shared-attempts.ts";
import { currentDaySalts } from "../redirects/day-salts.ts";
import { openRedirects, reportUnavailable, zeroOutcomes } from "../redirects/open-redirects.ts";
import type { RedirectDeps } from "../redirects/redirect.ts";
import { redirectHandlerFor } from "../redirects/redirect-handler.ts";
import { canRedirectWithoutDatabase } from "../redirects/replica/lookup-replica.ts";
import { temporarySalts } from "../redirects/temporary-salts.ts";
import { lockWorkerSpool, spoolOptions } from "../spools/spool-folders.ts";
import { reportRecovery } from "../spools/spools.ts";
import { serveWorkerState } from "../worker-state.ts";
import { startPeriodicJobs } from "./periodic-jobs.ts";
import type { SupervisorChannel } from "./supervisor-channel.ts";

/** How long to wait for the lock of the spool; a worker of a killed supervisor releases it sooner. */
const lockTimeMaxMs = 5 * secondMs;
const truncateEveryMs = secondMs;
const dropsEveryMs = secondMs;
const diskEveryMs = 10 * secondMs;
/** Salts exist a day before they are needed. */
const saltsEveryMs = 10 * minuteMs;
const retryEveryMs = secondMs;

/** The worker's number, from 1, and the ports that all workers share. */
type WorkerOptions = { index: number; ports: Ports };

/** Runs until the supervisor stops it or has gone. Throws when the worker cannot start. */
export async function runWorker(
  config: Config,
  { index, ports }: WorkerOptions,
  supervisor: SupervisorChannel,
  log: Log,
): Promise<void> {
  const directory = workerSpoolPath(config, index);
  const held = await lockWorkerSpool(directory, lockTimeMaxMs);
  if (held === undefined) throw new Error(`Another process writes the spool in ${directory}.`);
  const database = connect(databaseLocation(config), "full");
  const spool = openSpool({ ...spoolOptions(config), directory });
  const losses = new LossRecord(directory);
  reportRecovery({ log, losses, now: Date.now }, directory, spool.recovered);
  const drops = new DropWatch({ directory, spool, record: losses, log, now: Date.now });
  const salts = await openSalts(config, database, supervisor);
  const texts = new TextBudget();
  const disk = new DiskWatch({ config, texts, log, now: Date.now });
  const answered = zeroOutcomes();
  const times = redirectTimes();
  const openCertificates = salts.areTemporary() ? openCopiedCertificates : openCertificateCache;
  const certificates = await openCertificates(config, { db: database.db, log, now: Date.now });
  const cleanups: (() => unknown)[] = [];
  const {
    redirects,
    visitedLinks,
    close: closeRedirects,
  } = await openRedirects(config, {
    database,
    sharedAttempts: openSharedAttempts(config, database.db, cleanups),
    spool,
    certificates,
    texts,
    salts: salts.current,
    now: Date.now,
    fail: (error) => reportUnavailable(log, error),
    onAnswer(outcome) {
      answered[outcome]++;
    },
    onSent: (milliseconds) => times.observe(milliseconds / secondMs),
  });
  const jobs = startPeriodicJobs({ log, now: Date.now }, [
    { name: "truncateSpool", everyMs: truncateEveryMs, run: () => truncate(database, spool) },
    { name: "certificates", everyMs: refreshEveryMs, run: () => certificates.refresh() },
    { name: "disk", everyMs: diskEveryMs, run: () => disk.check() },
    { name: "drops", everyMs: dropsEveryMs, run: async () => drops.check() },
    { name: "daySalts", everyMs: saltsEveryMs, run: salts.renew },
    { name: "temporarySalts", everyMs: retryEveryMs, run: salts.renewTemporary },
  ]);
  const publicListener = listen(config, { ports, redirects, log });
  const numbers = serveWorkerState(workerSocketPath(config, index), {
    metrics: () => ({
      redirects: answered,
      times: times.counts(),
      connections: publicListener.connections(),
      writtenClicks: spool.written(),
      droppedClicks: spool.dropped().clicks,
      cutTexts: texts.cut,
    }),
    visitedLinks: () => visitedLinks.take(),
  });
  supervisor.ready();
  log.info("A redirect worker is ready.", ports);

  const reason = await supervisor.stopRequested;
  log.info("Stopping.", { reason });
  await shutdownStep(log, "requests", publicListener.stop());
  publicListener.close();
  jobs.stop();
  await numbers.close();
  closeRedirects();
  for (const close of cleanups) await close();
  // The clicks of all answered visitors are written; the main process reads the files.
  spool.close();
  drops.check();
  await database.close();
  held.release();
}

/** The database's salts; temporary ones until PostgreSQL, which is down at the start, answers. */
async function openSalts(config: Config, database: Database, { saltSecret }: SupervisorChannel) {
  let areTemporary = false;
  let current: () => DaySalts;
  const renew = async () => {
    const stored = await currentDaySalts(database, Date.now());
    current = () => stored;
    areTemporary = false;
  };
  try {
    await renew();
  } catch (error) {
    if (!isDatabaseUnavailable(error) || !canRedirectWithoutDatabase(config)) throw error;
    current = temporarySalts(await saltSecret());
    areTemporary = true;
  }
  const renewTemporary = async () => {
    if (areTemporary) await renew();
  };
  return { renew, renewTemporary, areTemporary: () => areTemporary, current: () => current() };
}

type ListenDeps = { ports: Ports; redirects: RedirectDeps; log: Log };

/** Answers visitors on the shared ports. */
function listen(config: Config, { ports, redirects, log }: ListenDeps): PublicListener {
  const publicListener = openPublicListener({
    ...ports,
    hostname: config.WAYPOST_HOST,
    sharesPort: true,
    isTrusted: redirects.isTrusted,
    to: { kind: "socket", path: dataPaths(config).mainSocket },
    log,
  });
  const hosts = { appHost: instanceSlug(config.WAYPOST_URL), servesAnyHost: !config.isUrlSet };
  const { certificates } = redirects;
  publicListener.startAnswering(redirectHandlerFor(redirects, hosts), { appUrl: config.WAYPOST_URL, certificates });
  return publicListener;
}

/** Truncates the spool to what the main process has not acknowledged. */
async function truncate({ db }: Database, spool: Spool): Promise<void> {
  const position = await acknowledgedPosition(db, spool.id);
  if (spool.canTruncate(position)) spool.truncate(position);
}
