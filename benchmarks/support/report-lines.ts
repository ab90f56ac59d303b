/** Prints the results of the report benchmark. */
import type { AnalyticsGrouping } from "../../src/analytics/groupings.ts";
import type { Interval } from "../../src/analytics/interval.ts";
import { median, percentile } from "./load.ts";
import type { IngestResult } from "./report-ingest.ts";
import type { QuestionTimes } from "./report-measures.ts";
import { measuredGroupings, type ReportSubject } from "./report-questions.ts";

/** The clicks per second during queries. */
const ingestPerSecondMin = 20_000;
/** The part of a clocked rate that may be missing at the end. */
const ingestTolerance = 0.98;

/** A row of the table: its subject, and the limit of its queries in milliseconds at the 95th percentile. */
export type RowTitle = { intervals: readonly Interval[]; groupings: readonly AnalyticsGrouping[]; p95Max: number };

/** Prints one row: each question, the first runs, the ratio, and whether the aim is reached. */
export function printRow(
  { intervals, groupings, p95Max }: RowTitle,
  subject: ReportSubject,
  times: readonly QuestionTimes[],
  isCold: boolean,
): void {
  const groupingText = groupings === measuredGroupings ? "any grouping" : groupings.join(" and ");
  const intervalText = intervals.length > 2 ? "any interval" : intervals.join(" or ");
  console.log(`\n${subject.name}, ${count(subject.clicks)} clicks of people: ${groupingText}, ${intervalText}`);
  console.log("  grouping        interval   p50 ms    p95 ms   flat ms    ratio   visitors p50, p95 ms");
  // The slowest of nine intervals per grouping; the verdict covers all of them.
  const shown =
    intervals.length > 2 ? groupings.map((name) => slowest(times.filter(({ grouping }) => grouping === name))) : times;
  for (const one of shown) console.log(lineOf(one));
  const first = times[0]?.first ?? Number.NaN;
  const slowestFirst = Math.max(...times.map((one) => one.first));
  const caches = isCold ? "cold page cache" : "warm page cache";
  console.log(
    `  first runs after opening (${caches}): ${ms(first)} ms for the first, ${ms(slowestFirst)} ms for the slowest`,
  );
  const ratios = times.flatMap(({ p50, flat }) => (flat === undefined ? [] : [p50 / flat]));
  if (ratios.length > 0) {
    console.log(
      `  ratio to the flat table: ${median(ratios).toFixed(3)} at the median, ${Math.max(...ratios).toFixed(3)} at most`,
    );
  }
  console.log(`  ${verdict("p95 of the slowest question, ms", slowest(times).p95, p95Max)}`);
  const wrong = times.filter(({ differs }) => differs).map(({ grouping, interval }) => `${grouping} ${interval}`);
  if (wrong.length > 0) console.log(`  WRONG: the flat table has other answers: ${wrong.join(", ")}`);
}

function lineOf({ grouping, interval, p50, p95, flat, visitorsP50, visitorsP95 }: QuestionTimes): string {
  const visitors = [visitorsP50, visitorsP95].map((value) => (Number.isNaN(value) ? "-" : ms(value)).padStart(9));
  const reference = flat === undefined ? ["-", "-"] : [ms(flat), (p50 / flat).toFixed(3)];
  const numbers = [ms(p50), ms(p95), ...reference].map((text) => text.padStart(9)).join(" ");
  return `  ${grouping.padEnd(15)} ${interval.padEnd(8)}${numbers}   ${visitors.join(" ")}`;
}

function slowest(times: readonly QuestionTimes[]): QuestionTimes {
  const [first, ...others] = times;
  if (first === undefined) throw new Error("No question was measured.");
  return others.reduce((worst, one) => (one.p95 > worst.p95 ? one : worst), first);
}

/** Prints the ingest during queries. */
export function printIngest({ stored, seconds, lags, answers }: IngestResult): void {
  const perSecond = stored / seconds;
  console.log(`\ningest during ${count(answers.length)} questions, ${seconds.toFixed(1)} s`);
  const isReached = perSecond >= ingestTolerance * ingestPerSecondMin;
  console.log(
    `  ${count(perSecond)} clicks/s of ${count(ingestPerSecondMin)}: ${isReached ? "reached" : "NOT REACHED"}`,
  );
  const lag = `${ms(median(lags))} ms at the median, ${ms(Math.max(...lags))} at most, ${ms(lags.at(-1) ?? Number.NaN)} at the end`;
  console.log(`  a batch of a second's clicks is stored ${lag} after it was due`);
  console.log(`  queries during ingest: p50 ${ms(median(answers))} ms, p95 ${ms(percentile(answers, 0.95))} ms`);
}

/** A figure and its aim. */
export function verdict(name: string, value: number, max: number): string {
  return `${name}: ${value.toFixed(1)}, the aim is ${max}: ${value <= max ? "reached" : "NOT REACHED"}`;
}

/** A number with separators. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function ms(value: number): string {
  return value.toFixed(1);
}
