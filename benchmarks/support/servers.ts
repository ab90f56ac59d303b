/** Servers in separate processes. */
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const serverCore = "0";
const loadCore = "1";

/** The owner's key of every Waypost of a benchmark. */
export const ownerKey = "benchmark_owner_key_0123456789";
export const ownerEmail = "owner@example.com";
export const ownerPassword = "benchmark owner password";

export type BenchmarkServer = {
  readonly port: number;
  readonly pid: number;
  /** Pauses all its processes and threads, so that it takes nothing from the measured server. */
  pause(): void;
  /** Resumes it. */
  resume(): void;
  /** Stops it; resolves when it has ended. */
  end(): Promise<void>;
};

/** Pins the server to one core, and this process, which generates the load, to another. */
export function pinApart(server: BenchmarkServer): void {
  for (const pid of processTree(server.pid)) pin(pid, serverCore);
  pin(process.pid, loadCore);
}

/** Starts Waypost on a data folder, with an owner and an API key. */
export async function startWaypost(
  data: string,
  environment: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<BenchmarkServer> {
  const args = [...flags, "src/main.ts", "serve"];
  return await startServer(args, /port (\d+)/, waypostEnvironment(data, environment));
}

/** Starts Waypost without its log, for benchmarks that cause errors. */
export async function startMuted(data: string, environment: Record<string, string>): Promise<BenchmarkServer> {
  return await startServer(["src/main.ts", "serve"], /port (\d+)/, waypostEnvironment(data, environment), "ignore");
}

function waypostEnvironment(data: string, more: Record<string, string>): Record<string, string> {
  return {
    WAYPOST_DATA: data,
    WAYPOST_PORT: "0",
    WAYPOST_HOST: "127.0.0.1",
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
    WAYPOST_BOOTSTRAP_EMAIL: ownerEmail,
    WAYPOST_BOOTSTRAP_PASSWORD: ownerPassword,
    WAYPOST_BOOTSTRAP_API_KEY: ownerKey,
    WAYPOST_LOG_LEVEL: "warn",
    WAYPOST_RATE_LIMIT_PER_MINUTE: "0",
    ...more,
  };
}

/** Runs a file with Bun; resolves when its output contains its port. */
export async function startServer(
  args: readonly string[],
  portPattern: RegExp,
  environment: Record<string, string>,
  stderr: "inherit" | "ignore" = "inherit",
): Promise<BenchmarkServer> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr,
  });
  try {
    return childServer(child, Number(await firstMatch(child, portPattern)));
  } catch (error) {
    child.kill("SIGTERM");
    await child.exited;
    throw error;
  }
}

const running = new Set<BenchmarkServer>();

/** Wraps a child process as a server, which ends with this process even while it is paused. */
export function childServer(child: Bun.Subprocess, port: number): BenchmarkServer {
  const server: BenchmarkServer = {
    port,
    pid: child.pid,
    pause: () => signal(child.pid, "SIGSTOP"),
    resume: () => signal(child.pid, "SIGCONT"),
    async end() {
      server.resume();
      child.kill("SIGTERM");
      await child.exited;
      running.delete(server);
    },
  };
  running.add(server);
  return server;
}

process.on("exit", () => {
  for (const { pid } of running) signal(pid, "SIGKILL");
});
for (const ending of ["SIGINT", "SIGTERM"] as const) process.on(ending, () => process.exit(1));

function signal(pid: number, name: NodeJS.Signals): void {
  for (const each of processTree(pid)) {
    try {
      process.kill(each, name);
    } catch (error) {
      // The process has ended already.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

/** Returns the process and its descendants; without /proc, only the process. */
export function processTree(pid: number): number[] {
  if (process.platform !== "linux") return [pid];
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(statFields(`/proc/${name}/stat`)[1]));
  }
  const isWithin = (each: number | undefined): boolean =>
    each !== undefined && (each === pid || isWithin(parents.get(each)));
  return [...parents.keys()].filter(isWithin);
}

const ticksPerSecond = 100;

/** Returns the user and system time of a process's main thread from /proc; NaN without /proc. */
export function cpuSeconds(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  return ticks(`/proc/${pid}/task/${pid}/stat`) / ticksPerSecond;
}

/** Returns the same for the main threads of a process and its descendants, which answer requests. */
export function mainCpuSeconds(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + cpuSeconds(each), 0);
}

/** Like mainCpuSeconds, in steps of nanoseconds, for short measurements; NaN without /proc. */
export function mainRunSeconds(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  return processTree(pid).reduce((sum, each) => sum + runNanoseconds(`/proc/${each}/task/${each}/schedstat`), 0) / 1e9;
}

function runNanoseconds(path: string): number {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[0]);
  } catch {
    // The process ended while the list was read.
    return 0;
  }
}

/** Returns the user and system time of all threads of a process and its descendants; NaN without /proc. */
export function treeCpuSeconds(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  return processTree(pid).reduce((sum, each) => sum + ticks(`/proc/${each}/stat`), 0) / ticksPerSecond;
}

function ticks(path: string): number {
  const fields = statFields(path);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Returns the fields after the process's name, which may contain spaces; none when the process has ended. */
function statFields(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    // The process ended while the list was read.
    return [];
  }
}

/** Lets a process and its descendants run on all cores. */
export function unpin(pid: number): void {
  for (const each of processTree(pid)) pin(each, `0-${cpus().length - 1}`);
}

/** Has no effect on systems other than Linux. */
function pin(pid: number, core: string): void {
  if (process.platform !== "linux") return;
  Bun.spawnSync(["taskset", "--all-tasks", "--cpu-list", "--pid", core, String(pid)]);
}

async function firstMatch(
  child: Bun.Subprocess<"ignore", "pipe", "inherit" | "ignore">,
  pattern: RegExp,
): Promise<string> {
  let text = "";
  const reader = child.stdout.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`A server ended before it was ready: ${text}`);
    text += new TextDecoder().decode(value);
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) {
      reader.releaseLock();
      return found;
    }
  }
}
