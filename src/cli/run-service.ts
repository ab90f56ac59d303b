import { type BootstrapResult, bootstrap, firstWorkspaceId } from "../access/bootstrap.ts";
import { forgetFormerFactors } from "../access/identities.ts";
import { missingWorkspaces } from "../access/mapped-members.ts";
import { checkSecret } from "../admin/check-secret.ts";
import { listenForAdmin } from "../admin/socket.ts";
import { createApi } from "../api/api.ts";
import { type App, openApp } from "../app.ts";
import { showLastBackup } from "../backup/last-backup.ts";
import { removeStage } from "../backup/stage-backup.ts";
import { lockFileWithin } from "../base/file-lock.ts";
import type { Log } from "../base/log.ts";
import { shutdownStep, shutdownSteps } from "../base/shutdown-step.ts";
import { secondMs } from "../base/time.ts";
import { isMovingClicks } from "../click-move-folder.ts";
import { type Config, ConfigError, withActualPort } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { removeLeftSnapshots } from "../database/move-snapshots.ts";
import { instanceSlug } from "../domains/domain.ts";
import { ensureInstanceDomain } from "../domains/instance-domain.ts";
import { PortError, type Ports } from "../http1/ports.ts";
import { instanceSecret, sharedSecretProblem } from "../instance-secret.ts";
import { repeatMissedRemovals } from "../missed-removals.ts";
import type { Node } from "../nodes/node.ts";
import { requireSameSecret } from "../nodes/require-same-secret.ts";
import { redirectHandlerFor } from "../redirects/redirect-handler.ts";
import { canRedirectWithoutDatabase } from "../redirects/replica/lookup-replica.ts";
import { reportState } from "../report-state.ts";
import { type ListenOptions, listen, type WebServer } from "../server.ts";
import { openSite } from "../site/site.ts";
import { checkpointStart } from "../spools/checkpoint-writes.ts";
import { keepDetachedSpool, keepWorkerSpools } from "../spools/detached-spool.ts";
import { drain } from "../spools/read-each.ts";
import { startTasks } from "../tasks.ts";
import { folderInUseError } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";
import { listenError } from "./listen-error.ts";
import { lockDatabase } from "./lock-database.ts";
import { redirectWithoutDatabase, StartOutage, startWhenBack } from "./redirect-without-database.ts";

/** A main process whose supervisor was killed ends well within this time. */
const lockTimeMaxMs = 5 * secondMs;

/** Where the service listens, and how its starter controls it. */
export type ServiceOptions = {
  listenOptions: ListenOptions;
  /** Resolves WAYPOST_DRAIN_SECONDS before `stopRequested`: /readyz answers 503, and everything else works. */
  drainRequested: Promise<unknown>;
  /** Resolves with the reason for the shutdown. */
  stopRequested: Promise<string>;
  /** Resolves, after the stop request, when no other process writes clicks. */
  othersEnded: Promise<void>;
  /** The secret of the salts while PostgreSQL is down (temporary-salts.ts). */
  saltSecret(): Promise<string>;
  /** Called when links redirect and the rest waits for PostgreSQL. */
  onRedirecting(config: Config, port: number): void;
  /** Called when the service answers requests; `first` holds the secrets of the first start. */
  onReady(ready: { app: App; ports: Ports; first: BootstrapResult | undefined }): void;
};

/**
 * Runs the service, without redirect workers, until a stop is requested; then stops requests, tasks and the spool in
 * order.
 * Throws CliError when it cannot start.
 */
export async function runService(given: Config, log: Log, options: ServiceOptions): Promise<void> {
  // Before a move of clicks ends, which sets the click store aside.
  const secretProblem = sharedSecretProblem(given);
  if (secretProblem !== undefined) throw new ConfigError(secretProblem);
  const held = await lockFileWithin(dataPaths(given).mainLock, lockTimeMaxMs);
  if (held === undefined) throw folderInUseError(given);
  const { drainRequested, stopRequested, othersEnded } = options;
  const server = openListener(options.listenOptions, log);
  void drainRequested.then(() => server.announceStop());
  const config = withActualPort(given, server.port);
  const opened = await openService(config, log, server, options);
  if (opened === undefined) {
    held.release();
    log.info("Stopped.");
    return;
  }
  const { database, app, first, admin } = opened;
  const tasks = startTasks(app);
  const redirectHandler = redirectHandlerFor(app.redirects, {
    appHost: instanceSlug(config.WAYPOST_URL),
    servesAnyHost: !config.isUrlSet,
  });
  app.metrics.watchConnections(server.connections);
  const api = createApi(app);
  const { certificates } = app.redirects;
  server.startAnswering({ redirectHandler, api, site: openSite(app, api), appUrl: config.WAYPOST_URL, certificates });
  await opened.endRedirectsWithoutDatabase();
  const { port, httpPort, httpsPort } = server;
  options.onReady({ app, ports: { port, httpPort, httpsPort }, first });

  const reason = await Promise.race([stopRequested, database.lost]);
  if (typeof reason === "string") log.info("Stopping.", { reason });
  else log.error("Stopping, because another Waypost has taken over the database.");
  // Live streams would never end by themselves.
  app.liveEvents.close();
  app.liveChanges.close();
  await Promise.all([endRequests(server, log), shutdownStep(log, "workers", othersEnded)]);
  await shutdownStep(log, "tasks", tasks.stop());
  // After the tasks: a scheduled backup that is stopped must not be taken for one that failed.
  await shutdownStep(log, "admin", admin.close());
  // Other nodes wait for the clicks of a running node, and not for those of a stopped one.
  let state: "running" | "stopped" = "running";
  const drained = drain(app, AbortSignal.timeout(shutdownSteps.clicks)).then(
    () => {
      state = "stopped";
    },
    (error) => logUnflushedClicks(log, error),
  );
  await shutdownStep(log, "clicks", drained);
  const reported = reportState(app, state).catch((error) => logUnreportedStop(log, error));
  await shutdownStep(log, "report", reported);
  await shutdownStep(log, "closing", app.close());
  await shutdownStep(log, "release", database.release());
  held.release();
  if (typeof reason !== "string") throw reason;
  log.info("Stopped.");
}

async function endRequests(server: WebServer, log: Log): Promise<void> {
  await shutdownStep(log, "requests", server.stop());
  await shutdownStep(log, "connections", server.close());
}

type Opened = { app: App; first: BootstrapResult | undefined; admin: ReturnType<typeof listenForAdmin> };
type OpenedService = Opened & {
  database: Awaited<ReturnType<typeof lockDatabase>>;
  /** Call it when the server has the handlers of the whole service. */
  endRedirectsWithoutDatabase(): Promise<void>;
};

/**
 * Locks the database and opens all resources. While PostgreSQL is away, a node with a copy of the links redirects in the
 * meantime, and the start is repeated. Undefined when a stop was requested before PostgreSQL answered.
 */
async function openService(
  config: Config,
  log: Log,
  server: WebServer,
  { stopRequested, saltSecret, onRedirecting }: ServiceOptions,
): Promise<OpenedService | undefined> {
  const open = async () => {
    const database = await lockDatabase(config, log);
    try {
      return { database, ...(await database.startAlone(() => openResources(config, log, database.node))) };
    } catch (error) {
      await database.release();
      throw error;
    }
  };
  const outage = new StartOutage({ log, now: Date.now });
  // Of an earlier start that was killed before PostgreSQL answered.
  keepDetachedSpool(config);
  try {
    return { ...(await open()), endRedirectsWithoutDatabase: async () => {} };
  } catch (error) {
    if (!canRedirectWithoutDatabase(config) || !outage.recordFailure(error)) throw error;
  }
  await keepWorkerSpools(config);
  const endRedirects = await redirectWithoutDatabase(config, log, server, await saltSecret());
  onRedirecting(config, server.port);
  const opened = await startWhenBack(open, outage, stopRequested);
  if (opened === undefined) {
    await endRequests(server, log);
    await shutdownStep(log, "closing", endRedirects());
    return undefined;
  }
  return {
    ...opened,
    async endRedirectsWithoutDatabase() {
      await endRedirects();
      const index = keepDetachedSpool(config);
      if (index !== undefined) opened.app.spools.adopt(index);
    },
  };
}

const movingMessage =
  "The clicks are being moved to ClickHouse, so the spools keep every click. When waypost migrate is done, set WAYPOST_CLICKS_URL and restart; waypost migrate --cancel ends a move.";

async function openResources(config: Config, log: Log, node: Node | undefined): Promise<Opened> {
  try {
    // Before anything else needs the space that a killed process has left taken.
    removeStage(dataPaths(config).backup);
    removeLeftSnapshots(dataPaths(config).moveSnapshots);
    const app = await openApp(config, log, undefined, node);
    try {
      return { app, ...(await completeStart(app)) };
    } catch (error) {
      // A start that is repeated opens the same spools again. This failure is the one to report.
      await app.close().catch(() => {});
      throw error;
    }
  } catch (error) {
    throw explainFailure(error, config);
  }
}

/** Stores and reads what each start does once, and then accepts the commands of administrators. */
async function completeStart(app: App): Promise<Omit<Opened, "app">> {
  const { config, log, db, now } = app;
  if (isMovingClicks(config)) log.warn(movingMessage);
  const first = await prepareInstance(app);
  await repeatMissedRemovals(app);
  await warnOfMissingWorkspaces(app);
  await warnOfAnotherSecret(app);
  await forgetFormerFactors(app);
  await showLastBackup(app);
  await checkpointStart(app);
  return { first, admin: listenForAdmin(dataPaths(config).adminSocket, { db, now, config, app }, log) };
}

function openListener(listenOptions: ListenOptions, log: Log) {
  try {
    return listen(listenOptions, log);
  } catch (error) {
    throw listenOptions.kind === "ports" && error instanceof PortError
      ? listenError(error, listenOptions.hostname)
      : error;
  }
}

async function prepareInstance(app: App): Promise<BootstrapResult | undefined> {
  const { config } = app;
  if (app.node !== undefined) await requireSameSecret(app.db, instanceSecret(config));
  const first = await bootstrap(app, {
    email: config.WAYPOST_BOOTSTRAP_EMAIL,
    apiKey: config.WAYPOST_BOOTSTRAP_API_KEY,
    password: config.WAYPOST_BOOTSTRAP_PASSWORD,
    workspace: config.WAYPOST_BOOTSTRAP_WORKSPACE,
  });
  await ensureInstanceDomain(app.db, await firstWorkspaceId(app.db), instanceSlug(config.WAYPOST_URL), app.now());
  return first;
}

/** Once per start: a sign-in skips these lines, so that a deleted workspace keeps nobody out. */
async function warnOfMissingWorkspaces({ db, config, log }: App): Promise<void> {
  const ids = await missingWorkspaces(db, config.WAYPOST_OIDC_ROLES);
  if (ids.length === 0) return;
  log.warn("WAYPOST_OIDC_ROLES names workspaces that do not exist; these lines have no effect.", { workspaceIds: ids });
}

/** For instance after a restore without the former secret: the start has made a new one, which decrypts nothing. */
async function warnOfAnotherSecret({ db, config, log }: App): Promise<void> {
  const { ok, detail } = await checkSecret(config, db);
  if (!ok) log.warn("The secret cannot be used.", { reason: detail });
}

function logUnreportedStop(log: Log, error: unknown): void {
  log.warn("The other nodes do not know that this one has stopped in order.", { error });
}

function logUnflushedClicks(log: Log, error: unknown): void {
  log.warn("Some clicks stay in the spool until the next start.", { error });
}
