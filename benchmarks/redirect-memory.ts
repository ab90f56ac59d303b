/**
 * Memory after 10,000,000 redirects against 1,000,000 of the same server: resident memory when all clicks are stored
 * and counted and no client has called for a minute, and the heap of the main thread after a garbage collection.
 *
 *   npm run benchmark:redirect:memory            about twenty minutes, because the store ingests ten million clicks
 *   npm run benchmark:redirect:memory -- --quick 20,000 and 200,000, only to check that it works
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fillLinks, uniformPicks } from "./support/links.ts";
import { metric } from "./support/metrics.ts";
import { Bench, connections, readOptions } from "./support/rounds.ts";
import { type BenchmarkServer, startWaypost } from "./support/servers.ts";
import { waitUntilIdle } from "./support/wait-until-idle.ts";

const { quick } = readOptions({});
const visitCounts = quick ? [20_000, 200_000] : [1_000_000, 2_000_000, 5_000_000, 10_000_000];
const linksCount = 10_000;
const roundSecondsMax = 5;
/** Keeps the first round from making too many visits. */
const visitsPerSecondMax = 100_000;
const picks = uniformPicks(linksCount, 1_000_000);
const heapTimeMaxMs = 30_000;
const mib = 1024 ** 2;
/** The store releases memory when no client has called for this long. */
const idleMs = 65_000;

type Memory = { resident: number; anonymous: number; heap: number; objects: number };

const bench = new Bench();
const data = bench.folder();
const heapFile = join(data, "heap.json");
try {
  await (await startWaypost(data)).end();
  fillLinks(join(data, "waypost.sqlite"), { count: linksCount });
  const environment = { BENCHMARK_HEAP: heapFile, WAYPOST_SPOOL_MAX_BYTES: String(64 * 1024 ** 3) };
  const server = await startWaypost(data, environment, ["--preload", "./benchmarks/support/memory-probe.ts"]);
  bench.add("waypost", server, picks);
  server.resume();
  await measure(server);
} finally {
  await bench.end();
}

async function measure(server: BenchmarkServer): Promise<void> {
  const measured: Memory[] = [];
  let visitsDone = 0;
  let perSecond = visitsPerSecondMax;
  for (const visitCount of visitCounts) {
    while (visitsDone < visitCount) {
      const roundSeconds = Math.min(roundSecondsMax, (visitCount - visitsDone) / perSecond);
      const visits = { port: server.port, connections, picks, seconds: roundSeconds };
      const { answered, seconds, wrong } = await bench.visitors.visit(visits);
      perSecond = answered / seconds;
      if (answered === 0 || wrong > 0) throw new Error(`${wrong} of ${answered} answers were wrong.`);
      visitsDone += answered;
    }
    await waitUntilIdle(server);
    await Bun.sleep(idleMs);
    const memory = await memoryOf(server);
    measured.push(memory);
    console.log(
      `after ${visitsDone} redirects: resident ${megabytes(memory.resident)}, without files ` +
        `${megabytes(memory.anonymous)}; heap of the main thread ${megabytes(memory.heap)}, ${memory.objects} objects; ` +
        `spool lag ${await metric(server, "waypost_spool_lag_bytes")} bytes`,
    );
  }
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined) return;
  const ratio = (pick: (memory: Memory) => number) => (pick(last) / pick(first)).toFixed(2);
  console.log(
    `after ${visitCounts.at(-1)} to after ${visitCounts[0]}: resident ${ratio((one) => one.resident)}, ` +
      `without files ${ratio((one) => one.anonymous)}, heap ${ratio((one) => one.heap)}; the aim is at most 1.20`,
  );
}

/** Reads the resident memory first, because the collection before the heap's measurement releases memory. */
async function memoryOf({ pid }: BenchmarkServer): Promise<Memory> {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  rmSync(heapFile, { force: true });
  process.kill(pid, "SIGUSR2");
  const startedAt = performance.now();
  while (!existsSync(heapFile)) {
    if (performance.now() - startedAt > heapTimeMaxMs)
      throw new Error("The server did not report the size of its heap.");
    await Bun.sleep(20);
  }
  const { heapBytes, objects }: { heapBytes: number; objects: number } = JSON.parse(readFileSync(heapFile, "utf8"));
  return { resident: kilobytes("VmRSS"), anonymous: kilobytes("RssAnon"), heap: heapBytes, objects };
}

function megabytes(bytes: number): string {
  return `${(bytes / mib).toFixed(0)} MiB`;
}
