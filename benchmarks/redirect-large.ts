/**
 * Redirects per second of one core with 10,000,000 links on SQLite, against 10,000 links, in turns: once with keys by
 * Zipf's law with exponent 1 (the first 50,000 of ten million links get about two thirds of the visits), once with
 * uniform keys. The same distribution of 10,000 links is the reference of each.
 *
 *   npm run benchmark:redirect:large            five rounds of six seconds each; filling takes a few minutes
 *   npm run benchmark:redirect:large -- --quick 200,000 links and one short round, only to check that it works
 *     --links 10000000     links of the large instance
 *     --folder FOLDER      the folder of the large instance; an existing one of that size is used again
 *     --keep               keep it for the next run; useless after a migration has changed
 *
 * A link takes about 550 bytes with its indices. The search index stays empty: no redirect reads it, and filling it
 * would take a quarter of an hour.
 */

import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statfsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fillLinks, holdsLinks, uniformPicks, zipfPicks } from "./support/links.ts";
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
import { type BenchmarkServer, pinApart, startWaypost } from "./support/servers.ts";

const options = readOptions({ links: "", folder: "", keep: false });
const smallCount = 10_000;
const largeCount = Number(options.links || (options.quick ? 200_000 : 10_000_000));
const linkBytesMax = 700;
const picksCount = 4_000_000;
const rounds = options.quick ? 1 : 5;
const round = { connections, warmUpSeconds: 2, seconds: options.quick ? 2 : 6 };
/** Warm-up of the large instance before its first round, which fills its caches. */
const firstWarmUpSeconds = options.quick ? 1 : 15;

const lookupFileSecondsMax = 300;

const bench = new Bench();
const isKept = options.folder !== "";
const folder = isKept ? resolve(options.folder) : bench.folder();
try {
  await prepareLarge(folder);
  const largeServer = await startWaypost(folder);
  await lookupFileOf(largeServer);
  const smallServer = await startFilled(bench.folder(), { count: smallCount });
  for (const server of [largeServer, smallServer]) pinApart(server);
  const large = bench.add("large", largeServer, new Uint32Array());
  const small = bench.add("small", smallServer, new Uint32Array());
  for (const [keys, picksOf] of [
    ["Zipf", zipfPicks],
    ["uniform", uniformPicks],
  ] as const) {
    await compare(
      keys,
      { ...small, name: `${smallCount} links, ${keys}`, picks: picksOf(smallCount, picksCount) },
      { ...large, name: `${largeCount} links, ${keys}`, picks: picksOf(largeCount, picksCount) },
    );
  }
} finally {
  await bench.end();
  if (isKept && !options.keep) rmSync(folder, { recursive: true, force: true });
}

async function compare(keys: string, small: Subject, large: Subject): Promise<void> {
  await bench.measure(small, { ...round, seconds: 1 });
  await bench.measure(large, { ...round, warmUpSeconds: firstWarmUpSeconds, seconds: 1 });
  const results = await bench.inTurns([small, large], rounds, (subject) => bench.measure(subject, round));
  printSubjects(results);
  printRatios(`ratio to ${smallCount} links, ${keys} keys`, results, { of: large, to: small });
}

async function prepareLarge(data: string): Promise<void> {
  mkdirSync(data, { recursive: true });
  const path = join(data, "waypost.sqlite");
  if (!holdsLinks(path, largeCount)) {
    const { bavail, bsize } = statfsSync(data);
    const missing = largeCount * linkBytesMax - bavail * bsize;
    if (missing > 0) throw new Error(`${data} lacks ${Math.ceil(missing / 1024 ** 3)} GiB for ${largeCount} links.`);
    if (existsSync(path)) throw new Error(`${path} holds another instance; pass an empty folder.`);
    const first = await startWaypost(data);
    await first.end();
    const startedAt = performance.now();
    fillLinks(path, { count: largeCount });
    console.log(`filled ${largeCount} links in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  }
  console.log(`the large file has ${(statSync(path).size / 1024 ** 3).toFixed(1)} GiB`);
  readThrough(path);
}

/** Waits until the server has written its lookup file, which takes seconds or a minute after its start. */
async function lookupFileOf(server: BenchmarkServer): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const links = await metric(server, "waypost_lookup_file_links");
    const seconds = (performance.now() - startedAt) / 1_000;
    if (links >= largeCount) {
      console.log(`the lookup file of ${links} links was ready after ${seconds.toFixed(0)} s`);
      return;
    }
    if (seconds > lookupFileSecondsMax) throw new Error(`The server has no lookup file after ${seconds.toFixed(0)} s.`);
    await Bun.sleep(1_000);
  }
}

/** Reads the file, so that the operating system caches it, whether the folder is new or not. */
function readThrough(path: string): void {
  const part = new Uint8Array(16 * 1024 ** 2);
  const file = openSync(path, "r");
  while (readSync(file, part) > 0);
  closeSync(file);
}
