/**
 * Exports of a large workspace by a real server and curl, while reports are asked for. EXPORT_CLICKS and EXPORT_RUNS make
 * it shorter than the ten million clicks and twenty runs of each format that the requirement is about.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExportFormat, exportFormats } from "../../src/clicks/export.ts";
import { ownerKey, ownSession, programCommand, serverEnvironment } from "../../tests/support/server.ts";
import { storeProcess } from "../../tests/support/store-faults.ts";
import type { Measurement } from "./measurement.ts";

const clicks = Number(process.env["EXPORT_CLICKS"] ?? 10_000_000);
const runs = Number(process.env["EXPORT_RUNS"] ?? 20);
/** A folder that `waypost benchmark generate` has filled; made and removed when left out. */
const given = process.env["EXPORT_DATA"];
const memoryMaxMib = 512;
const sampleEveryMs = 100;
const questionEveryMs = 500;
const startMaxMs = 60_000;
const questions = [
  "groupBy=countries",
  "groupBy=timeseries",
  "groupBy=top_links",
  "groupBy=referer_urls",
  "groupBy=count&metric=visitors",
].map((words) => `/analytics?interval=all&${words}`);

type Server = { url: string; process: Bun.Subprocess<"ignore", "pipe", "inherit"> };
type Result = { whole: number; asked: number; refused: number; slowestMs: number };

/** Measures how many exports come whole, and the memory of both processes together. */
export async function measureExports(): Promise<Measurement[]> {
  const data = given ?? mkdtempSync(join(tmpdir(), "waypost-exports-"));
  try {
    if (given === undefined) generate(data);
    const server = await start(data);
    const memory = watchMemory(server);
    const results: Record<string, Result> = {};
    for (const format of exportFormats) results[format] = await exportAll(server, format, data);
    const measurements = Object.entries(results).map(([format, result]) => ofFormat(format, result));
    measurements.push(ofMemory(memory.stop()));
    server.process.kill("SIGTERM");
    await server.process.exited;
    return measurements;
  } finally {
    if (given === undefined) rmSync(data, { recursive: true, force: true });
  }
}

function ofFormat(format: string, { whole, asked, refused, slowestMs }: Result): Measurement {
  return {
    attack: `${runs} exports of ${clicks} clicks as ${format}, while reports are asked for`,
    measured: `${whole} whole; ${refused} of ${asked} reports refused, the slowest ${Math.round(slowestMs)} ms`,
    required: `${runs} whole, no report refused`,
    holds: whole === runs && refused === 0,
  };
}

function ofMemory(mib: number): Measurement {
  return {
    attack: "memory of the main and the store process during these exports",
    measured: `${Math.round(mib)} MiB (proportional set size, both processes at one moment)`,
    required: `at most ${memoryMaxMib} MiB`,
    holds: mib <= memoryMaxMib,
  };
}

function generate(data: string): void {
  const words = ["--clicks", String(clicks), "--links", "100000", "--workspaces", "1"];
  const { exitCode } = Bun.spawnSync(programCommand("benchmark", "generate", ...words), {
    env: serverEnvironment(data, {}),
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (exitCode !== 0) throw new Error("The clicks could not be made.");
}

async function start(data: string): Promise<Server> {
  const child = Bun.spawn(programCommand("serve"), {
    ...ownSession,
    env: serverEnvironment(data, { WAYPOST_LOG_LEVEL: "warn" }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), startMaxMs);
  let said = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    said += decoder.decode(bytes, { stream: true });
    const port = /\(port (\d+)\)/.exec(said)?.[1];
    if (port === undefined) continue;
    clearTimeout(timer);
    return { url: `http://127.0.0.1:${port}/v1`, process: child };
  }
  throw new Error(`The server did not start: ${said}`);
}

async function exportAll(server: Server, format: ExportFormat, data: string): Promise<Result> {
  const result: Result = { whole: 0, asked: 0, refused: 0, slowestMs: 0 };
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      await ask(server, result);
      await Bun.sleep(questionEveryMs);
    }
  })();
  const path = join(data, `exported.${format}`);
  for (let run = 1; run <= runs; run++) {
    if (await exportOnce(server, format, path)) result.whole++;
    console.error(`${format} ${run} of ${runs}: ${result.whole} whole`);
    rmSync(path, { force: true });
  }
  isOver = true;
  await asking;
  return result;
}

async function ask({ url }: Server, result: Result): Promise<void> {
  const startedAt = performance.now();
  const question = questions[result.asked++ % questions.length] ?? "";
  const { status } = await fetch(url + question, { headers: { Authorization: `Bearer ${ownerKey}` } });
  if (status !== 200) result.refused++;
  result.slowestMs = Math.max(result.slowestMs, performance.now() - startedAt);
}

/** True when curl is satisfied, and the file has as many clicks as the server had announced. */
async function exportOnce({ url }: Server, format: ExportFormat, path: string): Promise<boolean> {
  const address = `${url}/events/export?interval=all&bots=include&format=${format}`;
  const words = ["--silent", "--fail", "--output", path, "--write-out", "%header{x-clicks}"];
  const curl = Bun.spawn(["curl", ...words, "-H", `Authorization: Bearer ${ownerKey}`, address]);
  const announced = Number(await new Response(curl.stdout).text());
  if ((await curl.exited) !== 0 || announced < clicks) return false;
  return format === "parquet" ? endsAsParquet(path) : (await lines(path)) === announced + (format === "csv" ? 1 : 0);
}

/** Lines of a file, none of whose values holds a line break: made-up clicks have none. */
async function lines(path: string): Promise<number> {
  let count = 0;
  for await (const bytes of Bun.file(path).stream()) {
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  }
  return count;
}

async function endsAsParquet(path: string): Promise<boolean> {
  const file = Bun.file(path);
  return (await file.slice(file.size - 4).text()) === "PAR1";
}

/** The most that both processes have had together; pages they share, such as the runtime's, count once. */
function watchMemory(server: Server): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    const store = storeProcess(server);
    const pids = store === undefined ? [server.process.pid] : [server.process.pid, store];
    most = Math.max(
      most,
      pids.reduce((sum, pid) => sum + proportionalMib(pid), 0),
    );
  }, sampleEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}

function proportionalMib(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? Number.NaN) / 1024;
}
