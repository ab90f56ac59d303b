/** Servers in processes of their own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const serverCore = "0";
const loadCore = "1";

/** The owner's key of every Waypost that a benchmark starts. */
export const ownerKey = "benchmark_owner_key_0123456789";

export type BenchmarkServer = {
  readonly port: number;
  readonly pid: number;
  /** Ends it and resolves when it has. */
  end(): Promise<void>;
};

/** Gives the server one core and this process, which makes the load, another, so that neither slows the other down. */
export function pinApart(server: BenchmarkServer): void {
  pin(server.pid, serverCore);
  pin(process.pid, loadCore);
}

/** Starts Waypost on a data folder; everything it needs is given, nothing comes from a person. */
export async function startWaypost(
  data: string,
  environment: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<BenchmarkServer> {
  return await startServer([...flags, "src/main.ts", "serve"], /port (\d+)/, {
    WAYPOST_DATA: data,
    WAYPOST_PORT: "0",
    WAYPOST_HOST: "127.0.0.1",
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
    WAYPOST_BOOTSTRAP_EMAIL: "owner@example.com",
    WAYPOST_BOOTSTRAP_API_KEY: ownerKey,
    WAYPOST_LOG_LEVEL: "warn",
    WAYPOST_RATE_LIMIT_PER_MINUTE: "0",
    ...environment,
  });
}

/** Starts a file with Bun, and resolves when its output has named its port. */
export async function startServer(
  words: readonly string[],
  portPattern: RegExp,
  environment: Record<string, string>,
): Promise<BenchmarkServer> {
  const child = Bun.spawn([process.execPath, ...words], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const end = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  try {
    return { port: Number(await firstMatch(child, portPattern)), pid: child.pid, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** User and system time so far of a process's main thread, from /proc; NaN where there is none. */
export function cpuSeconds(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Elsewhere than on Linux the scheduler decides. */
function pin(pid: number, core: string): void {
  if (process.platform !== "linux") return;
  Bun.spawnSync(["taskset", "--all-tasks", "--cpu-list", "--pid", core, String(pid)]);
}

async function firstMatch(child: Bun.Subprocess<"ignore", "pipe", "inherit">, pattern: RegExp): Promise<string> {
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
