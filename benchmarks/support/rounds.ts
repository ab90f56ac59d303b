/** Measures several servers in turns: while one of them is visited, the others are paused. */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fillLinks, type Links } from "./links.ts";
import { median } from "./load.ts";
import { type BenchmarkServer, mainCpuSeconds, startWaypost, treeCpuSeconds } from "./servers.ts";
import { startVisitors, type Visitors, type VisitRound } from "./visits.ts";

/** The number of keep-alive connections of a closed loop. */
export const connections = 64;

/** A measured server, and the numbers of the links to visit in it, in this order. */
export type Subject = BenchmarkServer & { name: string; picks: Uint32Array };

/** The result of one round. Times are in milliseconds unless noted. */
export type Measured = {
  answered: number;
  perSecond: number;
  p50: number;
  p99: number;
  p999: number;
  /**
   * The 99th percentile of how late visits of an open loop were sent. If it is near p99, the load generator had no core
   * when it needed one.
   */
  lateP99: number;
  /** Processor time of the main threads of the subject's processes, and of all their threads, in seconds. */
  mainSeconds: number;
  treeSeconds: number;
  seconds: number;
  /** The part of the round in which the thread that generates the visits was busy. Near 1, it limits the result. */
  loadBusy: number;
  wrong: number;
  unanswered: number;
};

/** A round, with its warm-up. */
type Round = Omit<VisitRound, "port" | "picks"> & { warmUpSeconds: number };

/** Results of all rounds by subject. */
export type Results = ReadonlyMap<Subject, readonly Measured[]>;

/** Reads the options that all redirect benchmarks share, and those of one, which are given with their defaults. */
export function readOptions<Own extends Record<string, string | boolean>>(extra: Own): Own & { quick: boolean } {
  const defaults: Record<string, string | boolean> = { quick: false, ...extra };
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      typeof value === "boolean"
        ? ({ type: "boolean", default: value } as const)
        : ({ type: "string", default: value } as const),
    ]),
  );
  // The parser gives each option the type of its default.
  return parseArgs({ options }).values as Own & { quick: boolean };
}

/** What a subject does during a round besides answering visits, until it is stopped. */
type Work = { stop(): Promise<void> };

function noWork(): Work {
  return { stop: async () => {} };
}

/** A higher load average means that other programs are running. */
const quietLoadMax = 0.7;

/** The subjects, their folders and the load generator; `end` removes all. */
export class Bench {
  readonly visitors: Visitors = startVisitors();
  readonly #subjects: Subject[] = [];
  readonly #folders: string[] = [];

  constructor() {
    const [load = 0] = loadavg();
    if (load > quietLoadMax)
      console.log(`The machine is busy (load ${load.toFixed(1)}): other programs affect the figures.`);
  }

  /** Creates an empty folder, which `end` removes. */
  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
    this.#folders.push(folder);
    return folder;
  }

  /** Adds a running server, paused until its turn. */
  add(name: string, server: BenchmarkServer, picks: Uint32Array): Subject {
    const subject = { ...server, name, picks };
    this.#subjects.push(subject);
    subject.pause();
    return subject;
  }

  /** Runs one round of one subject with the others paused; `begin` starts work besides the visits. */
  async measure(subject: Subject, { warmUpSeconds, ...round }: Round, begin = noWork): Promise<Measured> {
    const visits = { ...round, port: subject.port, picks: subject.picks };
    subject.resume();
    const work = begin();
    try {
      if (warmUpSeconds > 0) await this.visitors.visit({ ...visits, seconds: warmUpSeconds });
      const before = { main: mainCpuSeconds(subject.pid), tree: treeCpuSeconds(subject.pid) };
      const { latencies, delays, answered, seconds, ...totals } = await this.visitors.visit(visits);
      const quantile = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
      const lateP99 = delays[Math.floor(delays.length * 0.99)] ?? Number.NaN;
      return {
        ...{ answered, seconds, perSecond: answered / seconds, wrong: totals.wrong, unanswered: totals.unanswered },
        ...{ p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999), lateP99 },
        mainSeconds: mainCpuSeconds(subject.pid) - before.main,
        treeSeconds: treeCpuSeconds(subject.pid) - before.tree,
        loadBusy: totals.cpuSeconds / seconds,
      };
    } finally {
      await work.stop();
      subject.pause();
    }
  }

  /** Measures every subject in turn, in each of a number of rounds. */
  async inTurns(
    subjects: readonly Subject[],
    rounds: number,
    measure: (subject: Subject) => Promise<Measured>,
  ): Promise<Results> {
    const results = new Map<Subject, Measured[]>(subjects.map((subject) => [subject, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [subject, list] of results) list.push(await measure(subject));
    }
    return results;
  }

  /** Stops the servers and removes the folders. */
  async end(): Promise<void> {
    this.visitors.close();
    for (const subject of this.#subjects) await subject.end();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts Waypost on a new folder with these links. */
export async function startFilled(
  data: string,
  links: Links,
  environment: Record<string, string> = {},
): Promise<BenchmarkServer> {
  // The first start creates the database.
  const first = await startWaypost(data);
  await first.end();
  fillLinks(join(data, "waypost.sqlite"), links);
  return await startWaypost(data, environment);
}

/** Prints the medians of each subject's rounds. */
export function printSubjects(results: Results): void {
  for (const [subject, list] of results) {
    const medianOf = (pick: (measured: Measured) => number) => median(list.map(pick));
    const sum = (pick: (measured: Measured) => number) => list.reduce((total, measured) => total + pick(measured), 0);
    console.log(
      `${subject.name.padEnd(26)} ${medianOf((one) => one.perSecond)
        .toFixed(0)
        .padStart(7)} requests/s` +
        `   p50 ${medianOf((one) => one.p50).toFixed(2)} ms   p99 ${medianOf((one) => one.p99).toFixed(2)} ms` +
        `   main threads ${medianOf((one) => (one.mainSeconds / one.answered) * 1e6).toFixed(1)} µs a request, busy ` +
        `${percent(medianOf((one) => one.mainSeconds / one.seconds))}` +
        `   load busy ${percent(medianOf((one) => one.loadBusy))}` +
        `   wrong answers ${sum((one) => one.wrong) + sum((one) => one.unanswered)}`,
    );
  }
}

/**
 * Prints the ratio of redirects per second, and the ratio of redirects per second of the main threads' processor time.
 * Other programs affect the second ratio less; it leaves out the other threads.
 */
export function printRatios(title: string, results: Results, pair: { of: Subject; to: Subject }): void {
  printRatio(title, results, pair);
  printRatio("  by the time of the main threads alone", results, pair, (one) => one.answered / one.mainSeconds);
}

/** Prints the ratio of a figure of two subjects, `of` divided by `to`, for each round, and the median. */
export function printRatio(
  title: string,
  results: Results,
  { of, to }: { of: Subject; to: Subject },
  figure: (measured: Measured) => number = (one) => one.perSecond,
): void {
  const references = results.get(to) ?? [];
  const ratios = (results.get(of) ?? []).map((measured, round) => {
    const reference = references[round];
    return reference === undefined ? Number.NaN : figure(measured) / figure(reference);
  });
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(" ");
  console.log(`${title}: ${median(ratios).toFixed(2)} (median of ${ratios.length} rounds: ${each})`);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}
