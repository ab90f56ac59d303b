import { randomBytes } from "node:crypto";
import { backupPlaceProblem } from "../backup/backup-folder.ts";
import { accessLogProblem } from "../base/access-log.ts";
import { handedSockets } from "../base/handed-sockets.ts";
import { type Log, openLog, unlimited } from "../base/log.ts";
import { secondMs } from "../base/time.ts";
import { missingHttpsPort } from "../certificates/missing-https-port.ts";
import { missingTerms } from "../certificates/missing-terms.ts";
import { trustedPeers } from "../clicks/address.ts";
import { type Config, readConfig, unknownOptions, withActualPort } from "../config.ts";
import { type HandedDescriptors, PortError, type Ports } from "../http1/ports.ts";
import { reservePorts } from "../http1/reserve-ports.ts";
import { supervise } from "../workers/supervisor.ts";
import { printFirstStartBanner, printReadyBanner, printRedirectingBanner } from "./banner.ts";
import { makeFilesPrivate } from "./data-files.ts";
import { folderInUseError, lockDataFolder, otherOwner } from "./data-folder.ts";
import { matchHandedSockets } from "./handed-ports.ts";
import { listenError } from "./listen-error.ts";
import type { ServiceOptions } from "./run-service.ts";

/** Runs the service until SIGTERM, SIGINT or SIGHUP, then shuts down in order. Throws CliError when it cannot start. */
export async function serve(): Promise<void> {
  const given = readConfig();
  const log = openLog(given.WAYPOST_LOG_LEVEL);
  for (const name of unknownOptions()) log.warn(`${name} is not an option of this version and has no effect.`);
  const config = withPossibleWorkers(given, log);
  const sockets = handedSockets();
  const handedOver = matchHandedSockets(config, sockets);
  if (sockets.length > 0) {
    log.info("The service manager has opened ports, on which visits wait during a restart.", {
      ports: sockets.map(({ port }) => port),
    });
  }

  const held = lockDataFolder(config);
  if (held === undefined) throw folderInUseError(config);
  const owner = otherOwner(config);
  // Root does not touch another user's files: that user could redirect root to other files with symbolic links.
  if (owner === undefined) {
    makeFilesPrivate(config);
  } else {
    log.warn("Waypost runs as root on a data folder of another user, who cannot use the files that it creates.", {
      data: config.WAYPOST_DATA,
      uid: owner.uid,
    });
  }
  try {
    if (config.WAYPOST_WORKERS > 0) {
      await serveWithWorkers(config);
    } else {
      await serveAlone(config, log, {
        ...{ signal: stopSignal(), onRedirecting: printRedirectingBanner, handedOver },
        onReady({ app, ports, first }) {
          printReadyBanner(app.config, ports.port, first);
          logReady(app.config, ports, log);
        },
      });
    }
  } finally {
    held.release();
  }
}

/**
 * Only Linux distributes a port's connections among processes: macOS sends all to one process, and Windows cannot share
 * a port.
 */
function withPossibleWorkers(config: Config, log: Log): Config {
  if (config.WAYPOST_WORKERS === 0 || process.platform === "linux") return config;
  log.warn(
    "WAYPOST_WORKERS needs Linux, which shares a port among processes. On this system, one process does everything.",
  );
  return { ...config, WAYPOST_WORKERS: 0 };
}

/** How the starter controls a service in one process; `signal` resolves with the name of the signal that ends it. */
type AloneOptions = Pick<ServiceOptions, "onRedirecting" | "onReady"> & {
  signal: Promise<string>;
  handedOver?: HandedDescriptors;
};

/** Runs the service in this process, on the ports of its options. Throws CliError when it cannot start. */
export async function serveAlone(
  config: Config,
  log: Log,
  { signal, handedOver = {}, ...options }: AloneOptions,
): Promise<void> {
  // Loaded here, because a supervisor does not need it.
  const { runService } = await import("./run-service.ts");
  await runService(config, log, {
    ...options,
    listenOptions: {
      kind: "ports",
      ...portsOfConfig(config),
      hostname: config.WAYPOST_HOST,
      isTrusted: trustedPeers(config.WAYPOST_TRUSTED_PROXIES),
      handedOver,
    },
    drainRequested: signal,
    stopRequested: signal.then(async (name) => {
      await Bun.sleep(config.WAYPOST_DRAIN_SECONDS * secondMs);
      return name;
    }),
    othersEnded: Promise.resolve(),
    saltSecret: async () => randomBytes(32).toString("hex"),
  });
}

async function serveWithWorkers(given: Config): Promise<void> {
  const ports = reserveServicePorts(given);
  const config = withActualPort(given, ports.port);
  const stopRequested = stopSignal();
  const log = openLog(config.WAYPOST_LOG_LEVEL, undefined, { process: "supervisor" }, unlimited);
  const drainMs = config.WAYPOST_DRAIN_SECONDS * secondMs;
  process.exitCode = await supervise({
    ...{ workers: config.WAYPOST_WORKERS, ports, log, stopRequested, drainMs },
    onRedirecting: () => printRedirectingBanner(config, ports.port),
    onReady() {
      printReadyBanner(config, ports.port);
      logReady(config, ports, log);
    },
  });
}

/** Runs the main process of a supervisor, behind the redirect workers that listen on the ports. */
export async function serveMain(ports: Ports): Promise<void> {
  const [{ runService }, { connectToSupervisor }, { dataPaths }] = await Promise.all([
    import("./run-service.ts"),
    import("../workers/supervisor-channel.ts"),
    import("../data-paths.ts"),
  ]);
  const supervisor = connectToSupervisor();
  const config = withActualPort(readConfig(), ports.port);
  const log = openLog(config.WAYPOST_LOG_LEVEL, undefined, { process: "main" });
  await runService(config, log, {
    listenOptions: { kind: "workers", path: dataPaths(config).mainSocket, ...ports },
    drainRequested: supervisor.drainRequested,
    stopRequested: supervisor.stopRequested,
    othersEnded: supervisor.workersEnded,
    saltSecret: supervisor.saltSecret,
    onRedirecting: supervisor.redirecting,
    onReady({ app, first }) {
      supervisor.onRestarts((counts) => {
        app.restarts.current = counts;
      });
      printFirstStartBanner(app.config, first);
      supervisor.ready();
      log.info("The main process is ready.");
    },
  });
}

function portsOfConfig({ WAYPOST_PORT, WAYPOST_HTTP_PORT, WAYPOST_HTTPS_PORT }: Config): Ports {
  return { port: WAYPOST_PORT, httpPort: WAYPOST_HTTP_PORT, httpsPort: WAYPOST_HTTPS_PORT };
}

function reserveServicePorts(config: Config): Ports {
  const hostname = config.WAYPOST_HOST;
  try {
    return reservePorts({ ...portsOfConfig(config), hostname });
  } catch (error) {
    throw error instanceof PortError ? listenError(error, hostname) : error;
  }
}

function logReady(config: Config, ports: Ports, log: Log): void {
  log.info("Waypost is ready.", { url: config.WAYPOST_URL.href, ...ports, data: config.WAYPOST_DATA });
  if (config.WAYPOST_SIGN_UP === "open" && config.WAYPOST_SMTP_URL === undefined) {
    log.warn(
      "WAYPOST_SIGN_UP=open needs a mail server to verify e-mail addresses. Until WAYPOST_SMTP_URL is set, accounts are created by invitation only.",
    );
  }
  const terms = missingTerms(config);
  if (terms !== undefined) log.warn(terms);
  const httpsPort = missingHttpsPort(config);
  if (httpsPort !== undefined) log.warn(httpsPort);
  const backups = backupPlaceProblem(config.WAYPOST_BACKUP_TO);
  if (backups !== undefined) log.warn(backups);
  const accessLog = accessLogProblem(config.WAYPOST_ACCESS_LOG);
  if (accessLog !== undefined) log.warn(accessLog);
  if (ports.httpsPort !== undefined && config.WAYPOST_URL.protocol !== "https:") {
    log.warn("WAYPOST_URL is no https URL, so session cookies may be sent without TLS. Set WAYPOST_URL=https://…", {
      url: config.WAYPOST_URL.href,
    });
  }
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    // A second signal has no effect: process managers and npm send the same signal twice.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
  });
}
