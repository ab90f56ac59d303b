import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type BootstrapResult, bootstrap, firstWorkspaceId } from "../access/bootstrap.ts";
import { listenForAdmin } from "../admin/socket.ts";
import { openApi } from "../api/api.ts";
import { type App, openApp } from "../app.ts";
import { type Log, openLog } from "../base/log.ts";
import { type Config, ConfigError, dataPaths, defaultUrl, readConfig, readOption, unknownOptions } from "../config.ts";
import { tryLock } from "../database/sqlite.ts";
import { instanceSlug } from "../domains/domain.ts";
import { ensureInstanceDomain } from "../domains/instance-domain.ts";
import { dispatch, listen } from "../server.ts";
import { openSite } from "../site/site.ts";
import { drain, startTasks } from "../tasks.ts";
import { Refusal } from "./refusal.ts";

/** Time for requests under way to end, and for the spool to empty; together well under the 10 s of orchestrators. */
const requestsEndMaxMs = 4_000;
const drainMaxMs = 3_000;

/** Runs the service until SIGTERM or SIGINT, then stops in order. Throws Refusal with one line when it cannot start. */
export async function serve(): Promise<void> {
  const config = readConfig();
  const log = openLog(config.WAYPOST_LOG_LEVEL);
  for (const name of unknownOptions()) log.warn(`${name} is no option of this version and does nothing.`);

  const lock = lockDataFolder(config);
  try {
    await run(config, log);
  } finally {
    lock.release();
  }
}

async function run(given: Config, log: Log): Promise<void> {
  const server = listenOrRefuse(given);
  const config = withActualPort(given, server.port ?? given.WAYPOST_PORT);
  const state = { isClosing: false };
  const stopAsked = whenAskedToStop();
  let app: App;
  try {
    app = await openApp(config, log);
  } catch (error) {
    await server.stop(true);
    throw startFailure(error);
  }
  const first = await prepareInstance(app);
  const tasks = startTasks(app);
  const admin = listenForAdmin(dataPaths(config).adminSocket, app, log);
  server.reload({ fetch: dispatch(app, openApi(app), openSite(app), state) });
  announce(config, server.port ?? config.WAYPOST_PORT, first);
  log.info("Waypost is ready.", { url: config.WAYPOST_URL.href, port: server.port, data: config.WAYPOST_DATA });

  const signal = await stopAsked;
  log.info("Stopping.", { signal });
  state.isClosing = true;
  await Promise.race([server.stop(), Bun.sleep(requestsEndMaxMs)]);
  await server.stop(true);
  await admin.close();
  await tasks.stop();
  await Promise.race([drain(app).catch((error) => logUndrained(log, error)), Bun.sleep(drainMaxMs)]);
  await app.close();
  log.info("Stopped.");
}

function lockDataFolder(config: Config): { release(): void } {
  const { data, lock } = dataPaths(config);
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Refusal(`WAYPOST_DATA: the folder ${data} cannot be made or entered (${messageOf(error)}).`);
  }
  const held = tryLockOrRefuse(lock, data);
  if (held === undefined) {
    throw new Refusal(
      `The data folder ${data} is in use by another Waypost${ownerOf(lock)}. Stop that one, or set WAYPOST_DATA to another folder.`,
    );
  }
  writeFileSync(`${lock}.pid`, String(process.pid));
  return held;
}

function tryLockOrRefuse(lock: string, data: string) {
  try {
    return tryLock(lock);
  } catch (error) {
    throw new Refusal(`WAYPOST_DATA: the folder ${data} cannot be written to (${messageOf(error)}).`);
  }
}

function ownerOf(lock: string): string {
  try {
    return ` (process ${readFileSync(`${lock}.pid`, "utf8")})`;
  } catch {
    // Only a courtesy: the other one may be just starting.
    return "";
  }
}

function listenOrRefuse(config: Config) {
  const { WAYPOST_PORT: port, WAYPOST_HOST: host } = config;
  try {
    return listen(port, host);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reason = code === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${messageOf(error)})`;
    throw new Refusal(
      `WAYPOST_PORT: port ${port} on ${host} ${reason}. Stop that program, or set another: WAYPOST_PORT=3001`,
    );
  }
}

/** With port 0 the address people reach is known only now, unless the operator has said one. */
function withActualPort(config: Config, port: number): Config {
  if (readOption("WAYPOST_URL").source !== "default") return config;
  return { ...config, WAYPOST_URL: new URL(defaultUrl(port)) };
}

function startFailure(error: unknown): unknown {
  if (error instanceof ConfigError) return error;
  if (error instanceof Error && error.name === "SpoolCorrupt") return new Refusal(error.message);
  if (error instanceof Error && "code" in error && error.code === "ECONNREFUSED") {
    return new Refusal(
      "WAYPOST_DATABASE_URL: no PostgreSQL answers there. Start it, or leave the option out to use SQLite.",
    );
  }
  return error;
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
      "Set e-mail and password for the dashboard (once, within a week):",
      `  ${url}/app/setup/${first.setupToken}`,
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

function logUndrained(log: Log, error: unknown): void {
  log.warn("Some clicks stay in the spool until the next start.", { error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
