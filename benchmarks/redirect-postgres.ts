/**
 * Redirects per second with PostgreSQL against SQLite, in the same run, under the same load. With PostgreSQL, redirects
 * read the node's own copy of the links, so both should be equal. With `--partial`, two nodes on PostgreSQL instead: the copy of
 * one has room for half of the links, and visits follow Zipf's law with exponent 1.
 *
 *   npm run benchmark:redirect:postgres              15 rounds of four seconds
 *   npm run benchmark:redirect:postgres -- --partial 7 rounds of four seconds
 *   npm run benchmark:redirect:postgres -- --quick   one short round, only to check that it works
 *     --links 10000   links; with --partial, 150,000 by default: lookups remember at most 100,000 of them
 */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { secondMs } from "../src/base/time.ts";
import { isReplicaUsable } from "../src/redirects/replica/lookup-replica.ts";
import { startPostgres } from "../tests/support/postgres.ts";
import { eventually } from "../tests/support/server.ts";
import { fillPostgres, uniformPicks, zipfPicks } from "./support/links.ts";
import { metric } from "./support/metrics.ts";
import {
  Bench,
  connections,
  printRatios,
  printSubjects,
  readOptions,
  type Subject,
  startFilled,
} from "./support/rounds.ts";
import { type BenchmarkServer, startWaypost } from "./support/servers.ts";

const options = readOptions({ links: "", partial: false });
const linksCount = Number(options.links || (options.partial ? 150_000 : 10_000));
const rounds = options.quick ? 1 : options.partial ? 7 : 15;
const round = { connections, warmUpSeconds: options.quick ? 0 : 2, seconds: options.quick ? 2 : 4 };
const picks = (options.partial ? zipfPicks : uniformPicks)(linksCount, 1_000_000);
/** The first visits of a node fill what lookups remember, and the partial copy with visited links. */
const firstVisitsSeconds = options.quick ? 1 : 15;
const copiedBytes = 300;
const copySecondsMax = 300;
const postgres = await startPostgres();
const bench = new Bench();
try {
  await (options.partial ? comparePartial() : compareWithSqlite());
} finally {
  await bench.end();
  await postgres.stop();
}

async function compareWithSqlite(): Promise<void> {
  const sqlite = bench.add("SQLite", await startFilled(bench.folder(), { count: linksCount }), picks);
  const onPostgres = bench.add("PostgreSQL", await startOnPostgres(await postgres.createDatabase()), picks);
  const results = await bench.inTurns([sqlite, onPostgres], rounds, (subject) => bench.measure(subject, round));
  printSubjects(results);
  printRatios("redirects per second, ratio to SQLite", results, { of: onPostgres, to: sqlite });
}

async function comparePartial(): Promise<void> {
  const completeServer = await startOnPostgres(await postgres.createDatabase());
  await eventually(
    () => metric(completeServer, "waypost_lookup_file_links"),
    (links) => links >= linksCount,
  );
  const complete = bench.add("complete copy", completeServer, picks);
  const url = await postgres.createDatabase();
  const limit = String(Math.round((linksCount * copiedBytes) / 2));
  const partial = bench.add("partial copy", await startOnPostgres(url, { WAYPOST_LOOKUP_MAX_BYTES: limit }), picks);
  for (const subject of [complete, partial]) {
    await bench.measure(subject, { ...round, warmUpSeconds: firstVisitsSeconds });
  }

  let transactions = 0;
  const measure = async (subject: Subject) => {
    const before = await transactionsOf(url);
    const measured = await bench.measure(subject, { ...round, warmUpSeconds: 0 });
    if (subject === partial) transactions += (await transactionsOf(url)) - before;
    return measured;
  };
  const results = await bench.inTurns([complete, partial], rounds, measure);

  printSubjects(results);
  printRatios("redirects per second, ratio to the complete copy", results, { of: partial, to: complete });
  const visits = (results.get(partial) ?? []).reduce((total, { answered }) => total + answered, 0);
  console.log(
    `transactions of PostgreSQL per visit of the partial copy, with those of background tasks: ${(transactions / visits).toFixed(4)}`,
  );
}

/** The transactions of a database so far: those of its node's connections, which report once a second, and this one. */
async function transactionsOf(url: string): Promise<number> {
  await Bun.sleep(1_500);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ transactions: string }>(
      "SELECT xact_commit AS transactions FROM pg_stat_database WHERE datname = current_database()",
    );
    return Number(rows[0]?.transactions);
  } finally {
    await client.end();
  }
}

/** Starts Waypost on PostgreSQL with the links, and waits until it has copied them, as far as there is room. */
async function startOnPostgres(url: string, more: Record<string, string> = {}): Promise<BenchmarkServer> {
  const data = bench.folder();
  const environment = { WAYPOST_DATABASE_URL: url, ...more };
  const first = await startWaypost(data, environment);
  await first.end();
  await fillPostgres(url, linksCount);
  // The first start has copied the links there were; these were inserted without events.
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(data, `links.replica${suffix}`), { force: true });
  const startedAt = performance.now();
  const server = await startWaypost(data, environment);
  await eventually(
    async () => isReplicaUsable(join(data, "links.replica")),
    (isUsable) => isUsable,
    copySecondsMax * secondMs,
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const bytes = statSync(join(data, "links.replica")).size / linksCount;
  console.log(`${linksCount} links copied ${seconds} s after the start, ${bytes.toFixed(0)} bytes per link`);
  return server;
}
