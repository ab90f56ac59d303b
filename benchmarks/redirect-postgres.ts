/**
 * Redirects per second with PostgreSQL against SQLite, in the same run, under the same load. With PostgreSQL, redirects
 * read the node's own copy of the links, so both should be equal.
 *
 *   npm run benchmark:redirect:postgres            15 rounds of four seconds
 *   npm run benchmark:redirect:postgres -- --quick one short round, only to check that it works
 *     --links 10000   links
 */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isReplicaUsable } from "../src/redirects/replica/lookup-replica.ts";
import { startPostgres } from "../tests/support/postgres.ts";
import { eventually } from "../tests/support/server.ts";
import { fillPostgres, uniformPicks } from "./support/links.ts";
import { Bench, connections, printRatios, printSubjects, readOptions, startFilled } from "./support/rounds.ts";
import { type BenchmarkServer, startWaypost } from "./support/servers.ts";

const options = readOptions({ links: "10000" });
const linksCount = Number(options.links);
const rounds = options.quick ? 1 : 15;
const round = { connections, warmUpSeconds: options.quick ? 0 : 2, seconds: options.quick ? 2 : 4 };
const picks = uniformPicks(linksCount, 1_000_000);
const postgres = await startPostgres();
const bench = new Bench();
try {
  const sqlite = bench.add("SQLite", await startFilled(bench.folder(), { count: linksCount }), picks);
  const onPostgres = bench.add("PostgreSQL", await startOnPostgres(bench.folder()), picks);
  const results = await bench.inTurns([sqlite, onPostgres], rounds, (subject) => bench.measure(subject, round));
  printSubjects(results);
  printRatios("redirects per second, ratio to SQLite", results, { of: onPostgres, to: sqlite });
} finally {
  await bench.end();
  await postgres.stop();
}

/** Starts Waypost on PostgreSQL with the links, and waits until it has copied them. */
async function startOnPostgres(data: string): Promise<BenchmarkServer> {
  const url = await postgres.createDatabase();
  const environment = { WAYPOST_DATABASE_URL: url };
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
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const bytes = statSync(join(data, "links.replica")).size / linksCount;
  console.log(`${linksCount} links copied ${seconds} s after the start, ${bytes.toFixed(0)} bytes per link`);
  return server;
}
