/** Exports of a large workspace by a real server to curl, while a client requests reports (row 6). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExportFormat } from "../../src/clicks/export.ts";
import { treeMib } from "../support/process-memory.ts";
import { ReportFolder } from "../support/report-folder.ts";
import { type BenchmarkServer, ownerKey, startWaypost } from "../support/servers.ts";
import type { Measurement } from "./measurement.ts";

/** The number of exports of each format, the clicks of each, and the folder that keeps the instance; "" for none. */
type ExportOptions = { exports: number; clicks: number; formats: readonly ExportFormat[]; folder: string };

const memoryMaxMib = 512;
const sampleEveryMs = 100;
const reportEveryMs = 500;
const reportPaths = [
  "groupBy=countries",
  "groupBy=timeseries",
  "groupBy=top_links",
  "groupBy=referer_urls",
  "groupBy=count&metric=visitors",
].map((parameters) => `/v1/analytics?interval=all&${parameters}`);

type Result = { whole: number; reports: number; refused: number; slowestMs: number };

/** Measures how many exports are complete, and the memory of both processes together. */
export async function measureExports(options: ExportOptions): Promise<Measurement[]> {
  const folder = new ReportFolder(options.folder, true);
  const out = mkdtempSync(join(tmpdir(), "waypost-exports-"));
  try {
    const { data } = folder.instance({ clicks: options.clicks, links: 100_000, workspaces: 1 });
    const server = await startWaypost(data);
    try {
      const memory = watchMemory(server);
      const measurements: Measurement[] = [];
      for (const format of options.formats) {
        const result = await exportAll(server, { ...options, format, out });
        const formatMeasurements = [ofFormat(format, options, result), ofMemory(format, memory.takePeak())];
        for (const { attack, measured } of formatMeasurements) console.error(`${attack}: ${measured}`);
        measurements.push(...formatMeasurements);
      }
      memory.stop();
      return measurements;
    } finally {
      await server.end();
    }
  } finally {
    folder.remove();
    rmSync(out, { recursive: true, force: true });
  }
}

function ofFormat(format: string, { exports, clicks }: ExportOptions, result: Result): Measurement {
  const { whole, reports, refused, slowestMs } = result;
  return {
    attack: `${exports} exports of ${clicks} clicks as ${format}, while a client requests reports`,
    measured: `${whole} whole; ${refused} of ${reports} reports refused, the slowest ${Math.round(slowestMs)} ms`,
    required: `${exports} whole, no report refused`,
    holds: whole === exports && refused === 0,
  };
}

function ofMemory(format: string, mib: number): Measurement {
  return {
    attack: `memory of all processes during the exports as ${format}`,
    measured: `${Math.round(mib)} MiB (proportional set size, the processes at one moment)`,
    required: `at most ${memoryMaxMib} MiB`,
    holds: mib <= memoryMaxMib,
  };
}

async function exportAll(
  server: BenchmarkServer,
  { exports, clicks, format, out }: ExportOptions & { format: ExportFormat; out: string },
): Promise<Result> {
  const result: Result = { whole: 0, reports: 0, refused: 0, slowestMs: 0 };
  let isOver = false;
  const querying = (async () => {
    while (!isOver) {
      await requestReport(server, result);
      await Bun.sleep(reportEveryMs);
    }
  })();
  const path = join(out, `exported.${format}`);
  for (let run = 1; run <= exports; run++) {
    if (await exportOnce(server, { format, path, clicks })) result.whole++;
    console.error(`${format} ${run} of ${exports}: ${result.whole} whole`);
    rmSync(path, { force: true });
  }
  isOver = true;
  await querying;
  return result;
}

async function requestReport({ port }: BenchmarkServer, result: Result): Promise<void> {
  const startedAt = performance.now();
  const path = reportPaths[result.reports++ % reportPaths.length] ?? "";
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${ownerKey}` },
  });
  if (status !== 200) result.refused++;
  result.slowestMs = Math.max(result.slowestMs, performance.now() - startedAt);
}

/** True when curl succeeds, and the file has as many clicks as the server announced. */
async function exportOnce(
  { port }: BenchmarkServer,
  { format, path, clicks }: { format: ExportFormat; path: string; clicks: number },
): Promise<boolean> {
  const address = `http://127.0.0.1:${port}/v1/events/export?interval=all&bots=include&format=${format}`;
  const args = ["--silent", "--fail", "--output", path, "--write-out", "%header{x-clicks}"];
  const curl = Bun.spawn(["curl", ...args, "-H", `Authorization: Bearer ${ownerKey}`, address]);
  const announced = Number(await new Response(curl.stdout).text());
  if ((await curl.exited) !== 0 || announced < clicks) return false;
  return format === "parquet" ? endsAsParquet(path) : (await lines(path)) === announced + (format === "csv" ? 1 : 0);
}

/** Returns the number of lines of a file. Synthetic clicks contain no line breaks. */
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

/** Samples the memory of all processes together. Shared pages, such as the runtime's, count once. */
function watchMemory(server: BenchmarkServer): { takePeak(): number; stop(): void } {
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, treeMib(server.pid));
  }, sampleEveryMs);
  return {
    takePeak() {
      const peak = peakMib;
      peakMib = 0;
      return peak;
    },
    stop: () => clearInterval(timer),
  };
}
