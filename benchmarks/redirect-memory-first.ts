/**
 * Memory of all processes of a new server (proportional set size) before and after its first 100,000 redirects of 100
 * links, while their clicks are stored; medians of several servers.
 *
 *   npm run benchmark:redirect:memory:first
 */
import { join } from "node:path";
import { fillLinks, uniformPicks } from "./support/links.ts";
import { median } from "./support/load.ts";
import { treeMib } from "./support/process-memory.ts";
import { Bench, readOptions } from "./support/rounds.ts";
import { startWaypost } from "./support/servers.ts";

const { quick } = readOptions({});
const servers = quick ? 1 : 7;
const visitsMin = quick ? 10_000 : 100_000;
const linksCount = 100;
const connections = 32;
/** Short, so that few visits exceed visitsMin. */
const roundSeconds = 0.1;
const settleMs = 2_000;
/** When memory is read, in milliseconds after the last visit. */
const momentsMs = quick ? [0, 500] : [0, 500, 1_000, 2_000, 4_000, 7_000, 10_000];

const before: number[] = [];
const after: number[][] = [];
for (let server = 0; server < servers; server++) await measureServer();
console.log(`before the first visit: ${median(before).toFixed(0)} MiB`);
momentsMs.forEach((ms, index) => {
  const values = after.map((moments) => moments[index] ?? Number.NaN);
  const range = `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  console.log(`${ms / 1_000} s after the last visit: ${median(values).toFixed(0)} MiB (${range})`);
});

async function measureServer(): Promise<void> {
  const bench = new Bench();
  try {
    const data = bench.folder();
    await (await startWaypost(data)).end();
    fillLinks(join(data, "waypost.sqlite"), { count: linksCount });
    const picks = uniformPicks(linksCount, 1_000_000);
    // As bin/bun-process.mjs sets it.
    const subject = bench.add("waypost", await startWaypost(data, { MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "500" }), picks);
    subject.resume();
    await Bun.sleep(settleMs);
    before.push(treeMib(subject.pid));
    for (let visits = 0; visits < visitsMin; ) {
      const plan = { port: subject.port, connections, picks, seconds: roundSeconds };
      const { answered, wrong } = await bench.visitors.visit(plan);
      if (answered === 0 || wrong > 0) throw new Error(`${wrong} of ${answered} answers were wrong.`);
      visits += answered;
    }
    after.push(await readMoments(subject.pid));
  } finally {
    await bench.end();
  }
}

async function readMoments(pid: number): Promise<number[]> {
  const lastVisitAt = performance.now();
  const read: number[] = [];
  for (const ms of momentsMs) {
    await Bun.sleep(Math.max(0, ms - (performance.now() - lastVisitAt)));
    read.push(treeMib(pid));
  }
  return read;
}
