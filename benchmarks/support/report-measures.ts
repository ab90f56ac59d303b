/** Measures the queries of one row of the table. */
import { isDeepStrictEqual } from "node:util";
import type { AnalyticsGrouping } from "../../src/analytics/groupings.ts";
import type { Interval } from "../../src/analytics/interval.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import type { Db } from "../../src/database/database.ts";
import { median, percentile } from "./load.ts";
import { questionOf, type ReportQuestion, type ReportSubject } from "./report-questions.ts";

/** An object that answers queries. */
type Answerer = Pick<ClickStore, "query" | "firstClick">;

/** The measured store, the flat table, and the number of runs per query. */
export type Measuring = {
  db: Db;
  store: Answerer & Pick<ClickStore, "lastClicks">;
  /** Undefined when no reference is measured. */
  flat: Answerer | undefined;
  at: number;
  runs: number;
  visitorRuns: number;
  flatRuns: number;
};

/** The times of one query in milliseconds, without the first run. */
export type QuestionTimes = {
  grouping: AnalyticsGrouping;
  interval: Interval;
  p50: number;
  p95: number;
  /** The first run after the store was opened, unless an equal query ran before. */
  first: number;
  visitorsP50: number;
  visitorsP95: number;
  /** The median of the flat table; undefined without one. */
  flat: number | undefined;
  /** True when the flat table returned different clicks or visitors. */
  differs: boolean;
};

/** Measures a subject's queries of one interval. */
export async function measureSubject(
  measuring: Measuring,
  {
    subject,
    interval,
    groupings,
  }: { subject: ReportSubject; interval: Interval; groupings: readonly AnalyticsGrouping[] },
): Promise<QuestionTimes[]> {
  const times: QuestionTimes[] = [];
  for (const grouping of groupings) {
    const question = await questionOf(measuring, { subject, interval, grouping, metric: "clicks" });
    const visitors = await questionOf(measuring, { subject, interval, grouping, metric: "visitors" });
    const taken = await timesOf(measuring.store, question, measuring.runs);
    const takenByVisitors = await timesOf(measuring.store, visitors, measuring.visitorRuns);
    times.push({
      ...{ grouping, interval, first: question.storeMs, p50: median(taken), p95: percentile(taken, 0.95) },
      ...{ visitorsP50: median(takenByVisitors), visitorsP95: percentile(takenByVisitors, 0.95) },
      ...(await compareFlat(measuring, question, visitors)),
    });
  }
  return times;
}

async function compareFlat({ store, flat, flatRuns }: Measuring, ...questions: [ReportQuestion, ReportQuestion]) {
  if (flat === undefined) return { flat: undefined, differs: false };
  let differs = false;
  for (const query of questions.flatMap(({ queries }) => queries)) {
    differs ||= !isDeepStrictEqual(await store.query(query), await flat.query(query));
  }
  return { flat: median(await timesOf(flat, questions[0], flatRuns)), differs };
}

async function timesOf(answerer: Answerer, { firstClick, queries }: ReportQuestion, runs: number): Promise<number[]> {
  const taken: number[] = [];
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    if (firstClick !== undefined) await answerer.firstClick(firstClick);
    for (const query of queries) await answerer.query(query);
    taken.push(performance.now() - startedAt);
  }
  return taken;
}
