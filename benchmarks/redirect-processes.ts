/**
 * What a redirect costs the processors when two processes share the port, beside one process: in turns, under the same
 * load, every core free to everybody. Two figures: of the main threads alone, which answer, and of all threads until the
 * clicks are in the store and counted.
 *
 *   npm run benchmark:redirect:processes            five rounds of four seconds of visits, and what follows them
 *   npm run benchmark:redirect:processes -- --quick one short round, to see that it works
 *     --workers 1     redirect workers beside the main process, which answers redirects too
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
  const one = bench.add("one process", unhalted(await startFilled(bench.folder(), links)), picks);
  const sharing = unhalted(await startFilled(bench.folder(), links, { WAYPOST_WORKERS: options.workers }));
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
 * Both have come to rest when their turn is over, so neither has to be held still; and a supervisor that was would find
 * its workers silent.
 */
function unhalted(server: BenchmarkServer): BenchmarkServer {
  return { ...server, halt() {}, resume() {} };
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
