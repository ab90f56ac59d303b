import { existsSync, mkdirSync } from "node:fs";
import { isIP } from "node:net";
import { type Attempts, openAttempts } from "./access/attempts.ts";
import { type IdentityProvider, openIdentityProvider } from "./access/identity-provider.ts";
import { openPasskeyChallenges, type PasskeyChallenges } from "./access/passkey-challenges.ts";
import { hashingLoads } from "./access/password-hash.ts";
import { storeInstanceLimits } from "./access/workspace-limits.ts";
import { type Exports, openExports } from "./analytics/exports.ts";
import { type LiveEvents, openLiveEvents } from "./analytics/live-events.ts";
import { AccessLog, accessLogWriter } from "./base/access-log.ts";
import { freeDiskBytes } from "./base/disk-space.ts";
import type { Log } from "./base/log.ts";
import { isPublicAddress } from "./base/public-address.ts";
import { ReadWriteLock } from "./base/read-write-lock.ts";
import type { SafeFetchDeps } from "./base/safe-fetch.ts";
import { openSeal, type Seal } from "./base/seal.ts";
import type { SharedAttempts } from "./base/shared-attempts.ts";
import { secondMs } from "./base/time.ts";
import { type Certificates, openCertificates } from "./certificates/certificates.ts";
import { type LiveChanges, openLiveChanges } from "./changes/live-changes.ts";
import { continueClickMove } from "./click-moves/continue-move.ts";
import { clickStoreSettings } from "./click-store-location.ts";
import { DropWatch } from "./clicks/drop-watch.ts";
import { type FairPipeline, shareFairly } from "./clicks/fair-pipeline.ts";
import type { StoredRange } from "./clicks/ingest.ts";
import { LossRecord } from "./clicks/lost-clicks.ts";
import { type Pipeline, startPipeline } from "./clicks/pipeline.ts";
import type { Purge } from "./clicks/purge.ts";
import { TextBudget } from "./clicks/text-budget.ts";
import type { DaySalts } from "./clicks/visitor.ts";
import type { Config } from "./config.ts";
import { dataPaths } from "./data-paths.ts";
import type { Database, Db } from "./database/database.ts";
import { waitAfterChanges } from "./database/transact.ts";
import { databaseLocation } from "./database-location.ts";
import { DiskWatch } from "./disk-watch.ts";
import { addressesOf, openResolver, type Resolver, verificationBudgetMs } from "./domains/dns.ts";
import { instanceSecret, signInPurpose } from "./instance-secret.ts";
import type { FramingTurn } from "./links/check-framing.ts";
import { type Counters, openCounters } from "./links/counters.ts";
import { DestinationIcons } from "./links/destination-icons.ts";
import { PageFetches } from "./links/fetch-page-tags.ts";
import { LinkQueries } from "./links/link-queries.ts";
import { pendingPurges } from "./links/pending-purges.ts";
import { type Mailer, type MailSettings, openMailer } from "./mail/mailer.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { ClockWatch } from "./nodes/clock-watch.ts";
import type { Node } from "./nodes/node.ts";
import { announceStored, listenForStored } from "./nodes/stored-notices.ts";
import { openServiceDatabase } from "./open-service-database.ts";
import { openSharedAttempts } from "./open-shared-attempts.ts";
import { openQrCodes, type QrCodes } from "./qr-codes/qr-codes.ts";
import { renewDaySalts } from "./redirects/day-salts.ts";
import { LookupFiles, lookupFileLinksMin } from "./redirects/lookup-file/lookup-files.ts";
import { openRedirects, reportUnavailable, zeroOutcomes } from "./redirects/open-redirects.ts";
import type { RedirectDeps } from "./redirects/redirect.ts";
import { openReplicaDatabase } from "./redirects/replica/lookup-replica.ts";
import { PartialWatch } from "./redirects/replica/partial-watch.ts";
import { openReplica, type Replica } from "./redirects/replica/replica.ts";
import type { VisitedLinks } from "./redirects/replica/visited-links.ts";
import { awaitStored } from "./spools/await-stored.ts";
import type { Checkpointed } from "./spools/checkpoint-writes.ts";
import { refuseForeignStore } from "./spools/foreign-store.ts";
import { spoolReaders } from "./spools/readers.ts";
import { lostClicks, spoolFolders } from "./spools/spool-folders.ts";
import { openSpools, readableSpoolIds, type Spools, type SpoolsDeps, spoolTotals } from "./spools/spools.ts";
import { StoreLosses } from "./spools/store-losses.ts";
import { fetchWorkerMetrics } from "./worker-state.ts";

/** The opened resources; each handler, task and use case receives the few that it uses. */
export type App = {
  config: Config;
  log: Log;
  now: () => number;
  db: Db;
  database: Database;
  resolver: Resolver;
  pipeline: Pipeline;
  exports: Exports;
  counters: Counters;
  qrCodes: QrCodes;
  spools: Spools;
  /** The record of lost clicks. */
  losses: LossRecord;
  /** Stored clicks that are missing. */
  storeLosses: StoreLosses;
  /** Undefined for a process that is not one of several nodes. */
  clock: ClockWatch | undefined;
  /** The budget of disk space for texts from visitors. */
  texts: TextBudget;
  disk: DiskWatch;
  drops: DropWatch;
  liveEvents: LiveEvents;
  liveChanges: LiveChanges;
  /** Tells the other nodes which range of a spool was stored; undefined without other nodes. */
  announceStored: ((range: StoredRange) => Promise<void>) | undefined;
  /** This process among the nodes that share the database; undefined when it has the database alone. */
  node: Node | undefined;
  /**
   * Shared by the steps of the readers and the truncation of spools; exclusive for a comparison of links and clicks,
   * during which neither may change. Anything that changes clicks and counters in two steps takes the shared side.
   */
  readersLock: ReadWriteLock;
  /**
   * Shared by the background tasks that remove clicks from the store; exclusive for a backup that copies the database
   * and the store, so that no click is removed between the two copies.
   */
  removalsLock: ReadWriteLock;
  /** What was written at the last checkpoint of SQLite. */
  checkpointed: Checkpointed;
  framingTurn: FramingTurn;
  salts: { current: DaySalts };
  /** The running purges, as last read: the clicks they cover are not stored. */
  purges: { current: readonly Purge[] };
  /** How often the supervisor has restarted each child process. */
  restarts: { current: Record<string, number> };
  metrics: Metrics;
  /** undefined unless WAYPOST_ACCESS_LOG is set. */
  accessLog: AccessLog | undefined;
  mailer: Mailer;
  /** The limits of attempts by address and account. */
  attempts: Attempts;
  /** Encrypts what people sign in with. */
  signInSeal: Seal;
  passkeyChallenges: PasskeyChallenges;
  /** undefined unless WAYPOST_OIDC_ISSUER is set. */
  identityProvider: IdentityProvider | undefined;
  safeFetch: SafeFetchDeps;
  icons: DestinationIcons;
  pageFetches: PageFetches;
  linkQueries: LinkQueries;
  redirects: RedirectDeps;
  lookupFiles: LookupFiles;
  /** The copy of the links; undefined with SQLite. */
  replica: Replica | undefined;
  partialWatch: PartialWatch;
  /** Links that visitors of this process got from PostgreSQL, since the copy lacks them. */
  visitedLinks: VisitedLinks;
  certificates: Certificates;
  /** Closes everything in reverse order of opening. Call it when no request or task is running. */
  close(): Promise<void>;
};

/** Opens every resource that the configuration needs. On failure, closes the opened ones again. */
export async function openApp(config: Config, log: Log, now: () => number = Date.now, node?: Node): Promise<App> {
  const cleanups: (() => unknown)[] = [];
  try {
    return await openResources(config, { log, now, node }, cleanups);
  } catch (error) {
    // The first failure is the one to report.
    await closeAll(cleanups).catch(() => {});
    throw error;
  }
}

/** Runs the cleanups in reverse order, even if one fails; then throws the first failure. */
export async function closeAll(cleanups: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = cleanups.pop(); close !== undefined; close = cleanups.pop()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

type Surroundings = Pick<App, "log" | "node" | "now">;

async function openResources(
  config: Config,
  { log, node, now }: Surroundings,
  cleanups: (() => unknown)[],
): Promise<App> {
  const paths = dataPaths(config);
  mkdirSync(paths.data, { recursive: true });

  const database = await openLimitedDatabase(config, log, cleanups);
  const { db } = database;
  const { replica, linksDatabase } = await openLinksCopy(config, database, cleanups);
  const clicks = await openClicks(config, { db, log, now }, cleanups);
  const { pipeline: store, spools, texts } = clicks;
  const counters = openCounters(databaseLocation(config));
  cleanups.push(() => counters.close());
  const qrCodes = openQrCodes();
  cleanups.push(() => qrCodes.close());

  const salts = { current: await renewDaySalts(database, now()) };
  const answered = zeroOutcomes();
  const restarts = { current: {} };
  const metrics = openMetrics({
    own: () => ({
      redirects: answered,
      spools: spoolTotals(spools),
      writtenClicks: spools.own.written(),
      droppedClicks: spools.own.dropped().clicks,
      cutTexts: texts.cut,
      restarts: { ...restarts.current, store: store.restarts() },
      waitingQueries: pipeline.waiting(),
      hashing: hashingLoads(),
    }),
    workers: () => fetchWorkerMetrics(config),
    store: () => store.usage(),
  });
  const pipeline: FairPipeline = shareFairly(store, (reason) => metrics.refusedQueries.inc({ reason }));
  const exports = followExports(config, { db, log, metrics, node, now, pipeline, spools });
  cleanups.push(() => exports.close());
  const resolver = openResolver({ servers: config.WAYPOST_RESOLVERS, budgetMs: verificationBudgetMs });
  const certificates = await openCertificates(config, { db, resolver, log, now }, cleanups);
  const sharedAttempts = openSharedAttempts(config, db, cleanups);
  const { close: closeRedirects, ...visits } = await openRedirects(config, {
    ...{ database, sharedAttempts },
    spool: spools.own,
    salts: () => salts.current,
    ...{ certificates: certificates.source, texts, now },
    ...{ fail: (error) => reportUnavailable(log, error), onAnswer: (outcome) => answered[outcome]++ },
    onSent: (milliseconds) => metrics.redirectSeconds.observe(milliseconds / secondMs),
  });
  cleanups.push(closeRedirects);
  return {
    ...{ config, log, now, db, database, resolver },
    ...openIcons({ db, now, log, resolver }, cleanups),
    ...{ pageFetches: new PageFetches(), linkQueries: new LinkQueries(database) },
    ...{ ...clicks, clock: node && new ClockWatch({ db, log, now }) },
    ...followStore(config, { database, node, pipeline, spools, metrics }, cleanups),
    liveChanges: openLiveChanges({ database, log, onCount: (open) => metrics.changeStreams.set(open) }),
    ...{ readersLock: new ReadWriteLock(), removalsLock: new ReadWriteLock() },
    checkpointed: { commits: 0, counted: 0 },
    ...{ salts, restarts, metrics, framingTurn: { workspaceId: 0 } },
    accessLog: openAccessLog(config, { log, now, metrics }, cleanups),
    purges: { current: await pendingPurges(db) },
    mailer: openMailer(mailSettings(config), log, (outcome) => metrics.mails.inc({ outcome })),
    ...openSignIns(config, now, sharedAttempts),
    ...{ ...visits, certificates, pipeline, counters, exports, qrCodes },
    lookupFiles: new LookupFiles({ database: linksDatabase, now, folder: paths.lookup, linksMin: lookupFileLinksMin }),
    ...{ replica, partialWatch: new PartialWatch(log, config.WAYPOST_LOOKUP_MAX_BYTES) },
    close: () => closeAll(cleanups),
  };
}

/** Opens the database, and stores the limits that this start has set. */
async function openLimitedDatabase(config: Config, log: Log, cleanups: (() => unknown)[]): Promise<Database> {
  const database = await openServiceDatabase(config, log.info);
  cleanups.push(() => database.close());
  await storeInstanceLimits(database.db, config);
  return database;
}

/** With PostgreSQL, the node's copy of the links; and the SQLite database that lookup files are made from. */
async function openLinksCopy(
  config: Config,
  database: Database,
  cleanups: (() => unknown)[],
): Promise<{ replica: Replica | undefined; linksDatabase: () => Database | undefined }> {
  const location = databaseLocation(config);
  if (location.kind === "sqlite") return { replica: undefined, linksDatabase: () => database };
  const { replica: path } = dataPaths(config);
  const replica = await openReplica({ url: location.url, path, bytesMax: config.WAYPOST_LOOKUP_MAX_BYTES });
  cleanups.push(() => replica.close());
  waitAfterChanges(database.db, () => replica.caughtUp());
  const copy = openReplicaDatabase(path);
  cleanups.push(() => copy.close());
  return { replica, linksDatabase: copy.current };
}

/** What people sign in with. Throws ConfigError for options that do not fit together. */
function openSignIns(
  config: Config,
  now: () => number,
  sharedAttempts: SharedAttempts | undefined,
): Pick<App, "attempts" | "signInSeal" | "passkeyChallenges" | "identityProvider"> {
  return {
    attempts: openAttempts(now, sharedAttempts),
    passkeyChallenges: openPasskeyChallenges(now, openSeal(instanceSecret(config), "passkeys")),
    signInSeal: openSeal(instanceSecret(config), signInPurpose),
    identityProvider: openIdentityProvider(config, { now }),
  };
}

function openAccessLog(
  { WAYPOST_ACCESS_LOG: target }: Config,
  { log, now, metrics }: Pick<App, "log" | "now" | "metrics">,
  cleanups: (() => unknown)[],
): AccessLog | undefined {
  if (target === undefined) return undefined;
  const onDropped = (lines: number) => metrics.accessLogDropped.inc(lines);
  const accessLog = new AccessLog({ write: accessLogWriter(target), log, now, onDropped });
  cleanups.push(() => accessLog.close());
  return accessLog;
}

/** Requests to URLs from users, and the icons that they fetch. */
function openIcons({ resolver, ...deps }: Pick<App, "db" | "log" | "now" | "resolver">, cleanups: (() => unknown)[]) {
  const safeFetch = { resolve: (name: string) => addressesOf(resolver, name), mayConnect: isPublicAddress };
  const icons = new DestinationIcons({ ...deps, safeFetch });
  cleanups.push(() => icons.close());
  return { safeFetch, icons };
}

/** The click store, the spools that fill it, and the record of lost clicks. */
async function openClicks(config: Config, deps: Pick<SpoolsDeps, "db" | "log" | "now">, cleanups: (() => unknown)[]) {
  let forget = () => {};
  const { db, log, now } = deps;
  await continueClickMove({ config, db, log });
  const { spool: directory } = dataPaths(config);
  const dropped = () => lostClicks(config).dropped ?? undefined;
  const onEvent = () => forget();
  // While no process runs, the file may be replaced.
  const observer = { log, onStart: onEvent, onCrash: onEvent, dropped };
  const pipeline = startPipeline(clickStoreSettings(config), observer);
  cleanups.push(() => pipeline.close());
  mkdirSync(directory, { recursive: true });
  const losses = new LossRecord(directory);
  const isStoreAbsent = () => config.WAYPOST_CLICKS_URL === undefined && !existsSync(dataPaths(config).clicks);
  if (!isStoreAbsent()) await refuseForeignStore(config, { db, pipeline });
  const spools = await openSpools(config, { ...deps, pipeline, isStoreAbsent, losses });
  const drops = new DropWatch({ directory, spool: spools.own, record: losses, log, now });
  cleanups.push(() => {
    spools.close();
    drops.check();
  });
  const storeLosses = new StoreLosses({
    ...{ db, pipeline, isStoreAbsent, log, now },
    folders: () => spoolFolders(config),
  });
  forget = () => {
    spools.forgetCursors("store");
    storeLosses.forget();
  };
  const texts = new TextBudget();
  const disk = new DiskWatch({ config, texts, log, now });
  return { pipeline, losses, storeLosses, spools, drops, texts, disk };
}

/** Opens exports and counts their outcomes. */
function followExports(
  config: Config,
  {
    db,
    log,
    metrics,
    node,
    now,
    pipeline,
    spools,
  }: Pick<App, "db" | "log" | "metrics" | "node" | "now" | "pipeline" | "spools">,
): Exports {
  const otherNodes = async () => (await node?.otherRunningNodes(db, now())) ?? [];
  const intervalMs = spoolReaders.store.everyMs(config);
  return openExports({
    ...{ pipeline, log },
    awaitStored: (signal) => awaitStored({ spools, otherNodes, intervalMs }, signal),
    bytesMax: config.WAYPOST_EXPORTS_MAX_BYTES,
    freeBytes: () => freeDiskBytes(dataPaths(config).data),
    onEnd: (outcome) => metrics.exports.inc({ outcome }),
  });
}

function followStore(
  config: Config,
  { database, node, pipeline, spools, metrics }: Pick<App, "database" | "metrics" | "node" | "pipeline" | "spools">,
  cleanups: (() => unknown)[],
): Pick<App, "announceStored" | "liveEvents" | "node"> {
  const liveEvents = openLiveEvents({
    db: database.reads,
    pipeline,
    spoolIds: () => [...readableSpoolIds(spools), ...(node?.otherSpools ?? []).map(({ spoolId }) => spoolId)],
    onCount: (open) => metrics.liveStreams.set(open),
  });
  const location = databaseLocation(config);
  if (node === undefined || location.kind === "sqlite")
    return { node: undefined, liveEvents, announceStored: undefined };
  const notices = listenForStored(location.url, node.id, liveEvents.storeAdvanced);
  cleanups.push(() => notices.close());
  return { node, liveEvents, announceStored: (range) => announceStored(database.db, node.id, range) };
}

/** Returns the mail server and the sender; the default sender is the service on its own host. */
function mailSettings({ WAYPOST_SMTP_URL, WAYPOST_MAIL_FROM, WAYPOST_URL }: Config): MailSettings {
  const { hostname } = WAYPOST_URL;
  // Mail cannot come from a bare IP address.
  const host = isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? hostname : "localhost";
  return { url: WAYPOST_SMTP_URL, from: WAYPOST_MAIL_FROM ?? `Waypost <waypost@${host}>` };
}
