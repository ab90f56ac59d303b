/**
 * Simulates what docs/scale.md plans: how many visits of a billion links a node's memory and its partial copy would
 * answer, and what PostgreSQL and ClickHouse get from a thousand nodes. Under visits by Zipf's law, the memory is the real cache
 * (base/lru-cache.ts), and the copy is a queue, from which the links leave that were stored first; those that are visited again come
 * back. The rest is arithmetic on the intervals of the program.
 *
 *   npm run simulate:scale
 *     --nodes 1000 --links 1000000000 --redirects 1000000 (per second) --clicks 1000000000000 --changes 100 (per second)
 *     --click-bytes 40     bytes of a stored click in ClickHouse; see docs/performance.md
 */
import { parseArgs } from "node:util";
import { LruCache } from "../src/base/lru-cache.ts";
import { secondMs } from "../src/base/time.ts";
import { batchClicksMax } from "../src/clicks/stores/clickhouse/clickhouse-store.ts";
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

console.log(
  "hit rates of a node's cache in memory (LRU) and of its partial copy (FIFO), and the look-ups of all nodes that miss",
);
console.log("  exponent       links   kind        bytes   hit rate   look-ups/s   PostgreSQL cores");
const { fallback: copyMax } = configOptions.WAYPOST_LOOKUP_MAX_BYTES;
const defaultCopy = Math.min(links, Math.floor(Number(copyMax) / copiedBytes));
for (const exponent of exponents) {
  for (const entries of cacheSizes) {
    printHits(exponent, entries, "LRU", simulate(exponent, lruCache(entries)));
    printHits(exponent, entries, "FIFO", simulate(exponent, fifoCopy(entries)));
  }
  printHits(exponent, defaultCopy, "FIFO", fifoHitRate(exponent, defaultCopy));
}

const copyBytes = links * copiedBytes;
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

/** A cache; `has` is true for a link that it has, and stores one that it lacks. */
type SimulatedCache = { entries: number; has(link: number): boolean };

function lruCache(entries: number): SimulatedCache {
  const cache = new LruCache<number, true>(entries);
  return {
    entries,
    has(link) {
      if (cache.get(link) !== undefined) return true;
      cache.set(link, true);
      return false;
    },
  };
}

/** The links leave in the order in which they came, also those that are visited. */
function fifoCopy(entries: number): SimulatedCache {
  const queue = new Float64Array(entries);
  const stored = new Set<number>();
  let next = 0;
  return {
    entries,
    has(link) {
      if (stored.has(link)) return true;
      stored.delete(queue[next] ?? 0);
      queue[next] = link;
      stored.add(link);
      next = (next + 1) % entries;
      return false;
    },
  };
}

/** The part of visits that a cache answers, after it has been warmed. */
function simulate(exponent: number, { entries, has }: SimulatedCache): number {
  const random = new SeededRandom(1);
  const visits = entries * visitsPerEntry;
  let hits = 0;
  for (let visit = 0; visit < visits; visit++) {
    if (has(rankOf(random.fine(), exponent)) && visit >= visits / 2) hits++;
  }
  return hits / (visits / 2);
}

/**
 * The hit rate of a queue that is too large to simulate. A link that gets the part p of visits is in it for T of 1/p + T
 * visits, where T is the visits until a stored link leaves; the parts of all links add up to the size of the queue.
 */
function fifoHitRate(exponent: number, entries: number): number {
  const steps = 20_000;
  const weights: { links: number; part: number }[] = [];
  let total = 0;
  for (let step = 0, from = 0.5; step < steps; step++) {
    // The links between two ranks of a logarithmic scale, as if each had the rank in the middle.
    const to = 0.5 * (2 * links + 1) ** ((step + 1) / steps);
    const part = Math.sqrt(from * to) ** -exponent;
    weights.push({ links: to - from, part });
    total += (to - from) * part;
    from = to;
  }
  const sum = (visits: number, ofHits: boolean) =>
    weights.reduce((result, { links: count, part }) => {
      const isStored = (visits * part) / total / (1 + (visits * part) / total);
      return result + count * isStored * (ofHits ? part / total : 1);
    }, 0);
  let [low, high] = [0, links * links];
  for (let halving = 0; halving < 200; halving++) {
    const middle = Math.sqrt(Math.max(low, 1) * high);
    if (sum(middle, false) < entries) low = middle;
    else high = middle;
  }
  return sum(high, true);
}

/** The rank of a visited link, from 1: the inverse of the continuous form of Zipf's distribution. */
function rankOf(uniform: number, exponent: number): number {
  if (exponent === 1) return Math.ceil(links ** uniform);
  const power = 1 - exponent;
  return Math.ceil((uniform * (links ** power - 1) + 1) ** (1 / power));
}

function printHits(exponent: number, entries: number, kind: "LRU" | "FIFO", hitRate: number): void {
  const missed = redirects * (1 - hitRate);
  const bytes = entries * (kind === "LRU" ? cachedBytes : copiedBytes);
  console.log(
    `  ${exponent.toFixed(1).padEnd(8)} ${count(entries).padStart(11)}   ${kind.padEnd(4)} ${megabytes(bytes).padStart(12)}` +
      `${`${(hitRate * 100).toFixed(1)} %`.padStart(11)} ${count(missed).padStart(12)} ${(missed / lookupsPerCore).toFixed(1).padStart(10)}`,
  );
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
