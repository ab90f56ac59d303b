/**
 * Processor time of a redirect when two processes share the port, against one process: in turns, under the same load,
 * with all cores for all processes. Two figures: the main threads, which answer, and all threads until the clicks are
 * stored and counted.
 *
 *   npm run benchmark:redirect:processes            five rounds of four seconds of visits, and the work after them
 *   npm run benchmark:redirect:processes -- --quick one short round, only to check that it works
 *     --workers 1     redirect workers besides the main process, which answers redirects too
 */
import { uniformPicks } from "./support/links.ts";
import {
  Bench,
  connections,
  type Measured,
  printRatio,
  printSubjects,
  readOptions,
  type Subject,
  startFilled,
} from "./support/rounds.ts";
import { type BenchmarkServer, processTree, treeCpuSeconds } from "./support/servers.ts";
import { waitUntilIdle } from "./support/wait-until-idle.ts";

const options = readOptions({ workers: "1" });
const linksCount = 10_000;
const rounds = options.quick ? 1 : 5;
const round = { connections, warmUpSeconds: 0, seconds: options.quick ? 2 : 4 };
const picks = uniformPicks(linksCount, 1_000_000);
const bench = new Bench();
try {
  const links = { count: linksCount };
  const one = bench.add("one process", neverPaused(await startFilled(bench.folder(), links)), picks);
  const sharing = neverPaused(await startFilled(bench.folder(), links, { WAYPOST_WORKERS: options.workers }));
  const several = bench.add(`${options.workers} workers beside it`, sharing, picks);
  if (processTree(several.pid).length < 2) throw new Error("WAYPOST_WORKERS started no process.");
  for (const subject of [one, several]) await measure(subject);
  const results = await bench.inTurns([one, several], rounds, measure);
  printSubjects(results);
  const pair = { of: several, to: one };
  printRatio("visits per second of the main threads, ratio to one process", results, pair, perMainSecond);
  printRatio("the same of all threads, until the clicks are stored and counted", results, pair, perTreeSecond);
} finally {
  await bench.end();
}

/**
 * Returns the server without pausing. Both servers are idle after their rounds, and a paused supervisor would treat its
 * workers as dead.
 */
function neverPaused(server: BenchmarkServer): BenchmarkServer {
  return { ...server, pause() {}, resume() {} };
}

async function measure(subject: Subject): Promise<Measured> {
  const before = treeCpuSeconds(subject.pid);
  const measured = await bench.measure(subject, round, () => ({ stop: () => waitUntilIdle(subject) }));
  return { ...measured, treeSeconds: treeCpuSeconds(subject.pid) - before };
}

function perMainSecond({ answered, mainSeconds }: Measured): number {
  return answered / mainSeconds;
}

function perTreeSecond({ answered, treeSeconds }: Measured): number {
  return answered / treeSeconds;
}
