/**
 * Latency of visits while the service is busy: 5,000 visits per second, each timed from its due time, so that a stall
 * counts for every visit that it delays. Quiet: the server has no other work. Busy: the store ingests a backlog at full
 * speed, and a client requests reports of 50,000,000 clicks one after another. Two instances are measured in turns,
 * first with the server on one core, then on all cores.
 *
 *   npm run benchmark:redirect:busy            three rounds of ten seconds each; filling takes a few minutes
 *   npm run benchmark:redirect:busy -- --quick 500,000 clicks, a small backlog and short rounds, only to check
 *     --clicks 50000000    clicks of the reports; about 25 bytes each
 *     --backlog 3000000    clicks in the spool; about 60 bytes each. Must be more than the store ingests in the rounds,
 *                          or the output says that none was left
 *     --folder FOLDER      the folder of the clicks; an existing file of that size is used again
 *     --keep               keep it for the next run
 *
 * The clicks are synthetic, like those of `waypost benchmark generate`. The backlog consists of visits while the
 * store's file is unavailable.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { dataPaths } from "../src/data-paths.ts";
import { knowSpool } from "../tests/support/store-clicks.ts";
import { clicksSpoolId, fillClicks } from "./support/clicks.ts";
import { fillLinks, uniformPicks } from "./support/links.ts";
import { median } from "./support/load.ts";
import { metric } from "./support/metrics.ts";
import {
  Bench,
  connections,
  type Measured,
  printRatio,
  type Results,
  readOptions,
  type Subject,
} from "./support/rounds.ts";
import { type BenchmarkServer, ownerKey, pinApart, startMuted, startWaypost, unpin } from "./support/servers.ts";

const options = readOptions({ clicks: "", backlog: "", folder: "", keep: false });
const clicksCount = Number(options.clicks || (options.quick ? 500_000 : 50_000_000));
const backlogCount = Number(options.backlog || (options.quick ? 50_000 : 3_000_000));
const linksCount = 10_000;
const rounds = options.quick ? 1 : 3;
/** Enough connections to send each visit on time unless the server stalls for a fifth of a second. */
const visitConnections = 1_000;
const round = { connections: visitConnections, warmUpSeconds: 2, seconds: options.quick ? 2 : 10, perSecond: 5_000 };
const picks = uniformPicks(linksCount, 1_000_000);
const dayMs = 86_400_000;
const environment = { WAYPOST_SPOOL_MAX_BYTES: String(64 * 1024 ** 3) };

const bench = new Bench();
const isKept = options.folder !== "";
const folder = isKept ? resolve(options.folder) : bench.folder();
mkdirSync(folder, { recursive: true });
const store = join(folder, `clicks-${clicksCount}.duckdb`);
const busyPaths = dataPaths({ WAYPOST_DATA: mkdtempSync(join(folder, "data-")) });
const quietPaths = dataPaths({ WAYPOST_DATA: bench.folder() });
const reports: number[] = [];
const backlog: { ingested: number; left: number }[] = [];
try {
  for (const { data, sqlite } of [quietPaths, busyPaths]) await makeInstance(data, sqlite);
  await fillSpool();
  if (!existsSync(store)) await fillStore();
  renameSync(store, busyPaths.clicks);
  await knowSpool(busyPaths.data, clicksSpoolId);
  const quiet = bench.add("quiet", await startWaypost(quietPaths.data, environment), picks);
  const busy = bench.add("busy", await startWaypost(busyPaths.data, environment), picks);
  for (const placement of ["one core", "all cores"] as const) {
    for (const subject of [quiet, busy]) pinServer(subject, placement);
    const results = await bench.inTurns([quiet, busy], rounds, (subject) =>
      subject === busy ? measureBusy(subject) : bench.measure(subject, round),
    );
    console.log(`\nserver on ${placement}, ${round.perSecond} visits/s`);
    printWaits(results);
    printRatio(
      "p99, busy to quiet; the aim is below 3, and below 10 ms",
      results,
      { of: busy, to: quiet },
      (one) => one.p99,
    );
  }
} finally {
  await bench.end();
  if (isKept && options.keep && existsSync(busyPaths.clicks)) renameSync(busyPaths.clicks, store);
  rmSync(busyPaths.data, { recursive: true, force: true });
  if (!options.keep) rmSync(store, { force: true });
}

function pinServer(subject: Subject, placement: "one core" | "all cores"): void {
  if (placement === "one core") pinApart(subject);
  else for (const pid of [subject.pid, process.pid]) unpin(pid);
}

async function measureBusy(subject: Subject): Promise<Measured> {
  subject.resume();
  const before = await metric(subject, "waypost_clicks_stored_total");
  const measured = await bench.measure(subject, round, () => askReports(subject));
  subject.resume();
  const ingested = (await metric(subject, "waypost_clicks_stored_total")) - before;
  backlog.push({ ingested, left: await metric(subject, "waypost_spool_lag_bytes", 'reader="store"') });
  subject.pause();
  return measured;
}

/** Requests reports of all clicks, one after another, until stopped. */
function askReports(server: BenchmarkServer): { stop(): Promise<void> } {
  let isStopped = false;
  const querying = (async () => {
    for (let number = 0; !isStopped; number++) {
      const groupBy = ["country", "browser", "referer", "os", "device"][number % 5];
      const startedAt = performance.now();
      const answer = await fetch(
        `http://127.0.0.1:${server.port}/v1/analytics/clicks?interval=90d&groupBy=${groupBy}`,
        { headers: { Authorization: `Bearer ${ownerKey}` } },
      );
      if (!answer.ok) throw new Error(`A report was answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      reports.push((performance.now() - startedAt) / 1_000);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await querying;
    },
  };
}

function printWaits(results: Results): void {
  for (const [{ name }, list] of results) {
    const medianOf = (pick: (measured: Measured) => number) => median(list.map(pick)).toFixed(2);
    const sum = (pick: (measured: Measured) => number) => list.reduce((total, measured) => total + pick(measured), 0);
    console.log(
      `${name.padEnd(8)} p50 ${medianOf((one) => one.p50)} ms   p99 ${medianOf((one) => one.p99)} ms   p99.9 ` +
        `${medianOf((one) => one.p999)} ms   answered ${sum((one) => one.answered)}   unanswered ` +
        `${sum((one) => one.unanswered)}   wrong answers ${sum((one) => one.wrong)}   sent late: p99 ` +
        `${medianOf((one) => one.lateP99)} ms`,
    );
  }
  const smallestBacklog = Math.min(...backlog.map(({ left }) => left));
  console.log(
    `during that time ${reports.length} reports, ${median(reports).toFixed(1)} s each, and ` +
      `${median(backlog.map(({ ingested }) => ingested))} clicks ingested per round; ` +
      (smallestBacklog > 0
        ? `${(smallestBacklog / 1024 ** 2).toFixed(0)} MiB of the backlog left`
        : "NO BACKLOG LEFT: use a larger --backlog"),
  );
  reports.length = 0;
  backlog.length = 0;
}

async function makeInstance(data: string, sqlite: string): Promise<void> {
  const first = await startWaypost(data);
  await first.end();
  fillLinks(sqlite, { count: linksCount });
}

/** Visits links while a folder at the path of the store's file makes the store unavailable. */
async function fillSpool(): Promise<void> {
  rmSync(busyPaths.clicks, { force: true });
  mkdirSync(busyPaths.clicks);
  const server = await startMuted(busyPaths.data, environment);
  try {
    for (let visits = 0; visits < backlogCount; ) {
      const { answered } = await bench.visitors.visit({ port: server.port, connections, seconds: 2, picks });
      if (answered === 0) throw new Error("The server did not answer the visits that fill the spool.");
      visits += answered;
    }
    const dropped = await metric(server, "waypost_clicks_dropped_total");
    if (dropped > 0) throw new Error(`The spool dropped ${dropped} clicks.`);
  } finally {
    await server.end();
  }
  rmdirSync(busyPaths.clicks);
}

async function fillStore(): Promise<void> {
  const startedAt = performance.now();
  const to = Date.now();
  const target = { workspaceId: 1, domainId: "dom_benchmark" };
  await fillClicks(store, { count: clicksCount, from: to - 80 * dayMs, to, links: linksCount, ...target });
  console.log(`filled ${clicksCount} clicks in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
