/**
 * Simulates what docs/scale.md plans: how many visits of a billion links a node's cache of links would answer, and what
 * PostgreSQL and ClickHouse get from a thousand nodes. The caches are the real ones (base/lru-cache.ts) under visits by
 * Zipf's law; the rest is arithmetic on the intervals of the program.
 *
 *   npm run simulate:scale
 *     --nodes 1000 --links 1000000000 --redirects 1000000 (per second) --clicks 1000000000000 --changes 100 (per second)
 *     --click-bytes 40     bytes of a stored click in ClickHouse; see docs/performance.md
 */
import { parseArgs } from "node:util";
import { LruCache } from "../src/base/lru-cache.ts";
import { secondMs } from "../src/base/time.ts";
import { batchClicksMax } from "../src/clicks/ingest.ts";
import { options as configOptions } from "../src/config.ts";
import { reportsPerReading } from "../src/nodes/node.ts";
import { reportEveryMs } from "../src/nodes/report-node.ts";
import { SeededRandom } from "./synthetic/seeded-random.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000" },
    links: { type: "string", default: "1000000000" },
    redirects: { type: "string", default: "1000000" },
    clicks: { type: "string", default: "1000000000000" },
    changes: { type: "string", default: "100" },
    "click-bytes": { type: "string", default: "40" },
  },
});
const nodes = Number(values.nodes);
const links = Number(values.links);
const redirects = Number(values.redirects);
const clicks = Number(values.clicks);
const changes = Number(values.changes);
const clickBytes = Number(values["click-bytes"]);

/** Bytes of a link in a node's copy (redirects/replica), and in a cache in memory. */
const copiedBytes = 300;
const cachedBytes = 500;
/** Exponents of Zipf's law: the lower, the flatter. Web traffic lies around 0.8 to 1. */
const exponents = [0.8, 0.9, 1, 1.1] as const;
const cacheSizes = [100_000, 1_000_000] as const;
/** Visits of a measurement, in multiples of the cache's entries; half of them only warm it. */
const visitsPerEntry = 12;
/** A statement of PostgreSQL on one core, for a row by its key: about what pgbench -S reaches. */
const lookupsPerCore = 20_000;

console.log("hit rates of a node's cache, and the look-ups of all nodes that miss it");
console.log("  exponent   entries      memory   hit rate   look-ups/s   PostgreSQL cores");
for (const exponent of exponents) {
  for (const entries of cacheSizes) {
    const hitRate = simulate(exponent, entries);
    const missed = redirects * (1 - hitRate);
    console.log(
      `  ${exponent.toFixed(1).padEnd(8)} ${count(entries).padStart(10)} ${megabytes(entries * cachedBytes).padStart(9)}` +
        `${`${(hitRate * 100).toFixed(1)} %`.padStart(11)} ${count(missed).padStart(12)} ${(missed / lookupsPerCore).toFixed(1).padStart(10)}`,
    );
  }
}

const copyBytes = links * copiedBytes;
const { fallback: copyMax } = configOptions.WAYPOST_LOOKUP_MAX_BYTES;
const { fallback: insertEveryMs } = configOptions.WAYPOST_CLICKS_INTERVAL_MS;
const insertsPerSecond = nodes / (Number(insertEveryMs) / secondMs);
const clicksPerInsert = redirects / insertsPerSecond;
console.log(
  `\ncopy of the links on each node: ${gigabytes(copyBytes)}, at most ${gigabytes(Number(copyMax))} by default`,
);
console.log("PostgreSQL, per second");
print("notifications delivered", changes * nodes, `${changes} changes to ${count(nodes)} nodes`);
print("changed rows read", changes * nodes, "each node reads each change");
print("reports of nodes", nodes / (reportEveryMs / secondMs), `one per ${reportEveryMs / secondMs} s and node`);
const readEveryMs = reportsPerReading * reportEveryMs;
print("rows of spools read", (nodes * nodes) / (readEveryMs / secondMs), "each node reads those of all others");
print("transactions for inserts", insertsPerSecond * 2, "a batch is recorded and completed");
console.log("ClickHouse");
print("inserts per second", insertsPerSecond, `one per ${Number(insertEveryMs) / secondMs} s and node`);
print("clicks per insert", clicksPerInsert, `at most ${count(batchClicksMax)}`);
print("parts of a day before merges", insertsPerSecond * 86_400, "ClickHouse delays inserts from 1,000 parts at once");
console.log(`  storage of ${count(clicks)} clicks: ${gigabytes(clicks * clickBytes)} at ${clickBytes} bytes a click`);

/** The part of visits that a cache answers, after it has been warmed. */
function simulate(exponent: number, entries: number): number {
  const random = new SeededRandom(1);
  const cache = new LruCache<number, true>(entries);
  const visits = entries * visitsPerEntry;
  let hits = 0;
  for (let visit = 0; visit < visits; visit++) {
    const link = rankOf(random.fine(), exponent);
    if (cache.get(link) !== undefined) hits += visit >= visits / 2 ? 1 : 0;
    else cache.set(link, true);
  }
  return hits / (visits / 2);
}

/** The rank of a visited link, from 1: the inverse of the continuous form of Zipf's distribution. */
function rankOf(uniform: number, exponent: number): number {
  if (exponent === 1) return Math.ceil(links ** uniform);
  const power = 1 - exponent;
  return Math.ceil((uniform * (links ** power - 1) + 1) ** (1 / power));
}

function print(name: string, value: number, why: string): void {
  console.log(`  ${name.padEnd(30)} ${count(value).padStart(12)}   ${why}`);
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function megabytes(bytes: number): string {
  return `${count(bytes / 1e6)} MB`;
}

function gigabytes(bytes: number): string {
  return `${count(bytes / 1e9)} GB`;
}
