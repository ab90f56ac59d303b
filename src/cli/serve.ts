import { type BootstrapResult, bootstrap, firstWorkspaceId } from "../access/bootstrap.ts";
import { listenForAdmin } from "../admin/socket.ts";
import { openApi } from "../api/api.ts";
import { type App, openApp } from "../app.ts";
import { type Log, openLog } from "../base/log.ts";
import { trustedPeers } from "../clicks/address.ts";
import { type Config, defaultUrl, readConfig, readOption, unknownOptions } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { instanceSlug } from "../domains/domain.ts";
import { ensureInstanceDomain } from "../domains/instance-domain.ts";
import { shortHosts } from "../redirects/short-host.ts";
import { listen } from "../server.ts";
import { openSite } from "../site/site.ts";
import { drain, startTasks } from "../tasks.ts";
import { folderInUse, holdDataFolder } from "./data-folder.ts";
import { explainFailure } from "./failure.ts";
import { Refusal } from "./refusal.ts";

/** Time for each step of stopping; together under the 10 s after which orchestrators kill. */
const requestsEndMaxMs = 4_000;
const tasksEndMaxMs = 1_000;
const drainMaxMs = 3_000;
const closeMaxMs = 1_000;

/** Runs the service until SIGTERM or SIGINT, then stops in order. Throws Refusal with one line when it cannot start. */
export async function serve(): Promise<void> {
  const config = readConfig();
  const log = openLog(config.WAYPOST_LOG_LEVEL);
  for (const name of unknownOptions()) log.warn(`${name} is no option of this version and does nothing.`);

  const held = holdDataFolder(config);
  if (held === undefined) throw folderInUse(config);
  try {
    await run(config, log);
  } finally {
    held.release();
  }
}

async function run(given: Config, log: Log): Promise<void> {
  const server = listenOrRefuse(given, log);
  const config = withActualPort(given, server.port);
  const stopAsked = whenAskedToStop();
  const { app, first, admin } = await openOrRefuse(config, log);
  const tasks = startTasks(app);
  const visits = shortHosts(app.redirects, instanceSlug(config.WAYPOST_URL));
  app.metrics.watchConnections(server.connections);
  server.answerWith({ visits, api: openApi(app), site: openSite(app) });
  announce(config, server.port, first);
  log.info("Waypost is ready.", { url: config.WAYPOST_URL.href, port: server.port, data: config.WAYPOST_DATA });

  const signal = await stopAsked;
  log.info("Stopping.", { signal });
  await within(requestsEndMaxMs, server.stop());
  await server.close();
  await admin.close();
  await within(tasksEndMaxMs, tasks.stop());
  await within(
    drainMaxMs,
    drain(app, AbortSignal.timeout(drainMaxMs)).catch((error) => logUndrained(log, error)),
  );
  await within(closeMaxMs, app.close());
  log.info("Stopped.");
}

/** Resolves with the work, or without it when its time is over: what then ends is the process. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, Bun.sleep(ms)]);
}

type Opened = { app: App; first: BootstrapResult | undefined; admin: ReturnType<typeof listenForAdmin> };

async function openOrRefuse(config: Config, log: Log): Promise<Opened> {
  try {
    const app = await openApp(config, log);
    const first = await prepareInstance(app);
    return { app, first, admin: listenForAdmin(dataPaths(config).adminSocket, app, log) };
  } catch (error) {
    throw explainFailure(error, config);
  }
}

function listenOrRefuse(config: Config, log: Log) {
  const { WAYPOST_PORT: port, WAYPOST_HOST: host } = config;
  try {
    return listen({ port, hostname: host, log, isTrusted: trustedPeers(config.WAYPOST_TRUSTED_PROXIES) });
  } catch (error) {
    throw new Refusal(refusedListening(error, port, host));
  }
}

function refusedListening(error: unknown, port: number, host: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return `WAYPOST_PORT: port ${port} on ${host} is taken by another program. Stop that program, or set another: WAYPOST_PORT=3001`;
  }
  if (code === "EACCES") {
    return `WAYPOST_PORT: this user may not listen on port ${port}. Set one above 1023: WAYPOST_PORT=3000`;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return `WAYPOST_HOST: ${host} is no address of this machine (${reason}). Set one it has, or all of them: WAYPOST_HOST=0.0.0.0`;
}

/** With port 0 the address people reach is known only now, unless the operator has said one. */
function withActualPort(config: Config, port: number): Config {
  if (readOption("WAYPOST_URL").source !== "default") return config;
  return { ...config, WAYPOST_URL: new URL(defaultUrl(port)) };
}

async function prepareInstance(app: App): Promise<BootstrapResult | undefined> {
  const { config } = app;
  const first = await bootstrap(app, {
    email: config.WAYPOST_BOOTSTRAP_EMAIL,
    apiKey: config.WAYPOST_BOOTSTRAP_API_KEY,
    password: config.WAYPOST_BOOTSTRAP_PASSWORD,
    workspace: config.WAYPOST_BOOTSTRAP_WORKSPACE,
  });
  await ensureInstanceDomain(app.db, await firstWorkspaceId(app.db), instanceSlug(config.WAYPOST_URL), app.now());
  return first;
}

function whenAskedToStop(): Promise<string> {
  return new Promise((resolve) => {
    // A second signal changes nothing: process managers and npm send the same one twice.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
  });
}

/** What the operator sees: the address, and after the very first start the secrets that are shown once. */
function announce(config: Config, port: number, first: BootstrapResult | undefined): void {
  const url = config.WAYPOST_URL.origin;
  const lines = [`Waypost is ready at ${url} (port ${port}).`];
  if (first?.apiKey !== undefined) {
    lines.push(
      "",
      `Your API key, shown only now:  ${first.apiKey}`,
      "",
      "Make a link:",
      `  curl -X POST ${url}/v1/links -H "Authorization: Bearer ${first.apiKey}" \\`,
      `    -H "Content-Type: application/json" -d '{"url": "https://example.com", "key": "hello"}'`,
    );
  }
  if (first?.setupToken !== undefined) {
    lines.push(
      "",
      "Set e-mail and password for the dashboard of a later version (once, within a week):",
      `  ${url}/app/setup/${first.setupToken}`,
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

function logUndrained(log: Log, error: unknown): void {
  log.warn("Some clicks stay in the spool until the next start.", { error });
}
