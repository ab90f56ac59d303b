/** The queries of the report benchmark, and their subjects. */
import type { Actor } from "../../src/access/actor.ts";
import { type AnalyticsGrouping, analyticsGroupings, groupings } from "../../src/analytics/groupings.ts";
import type { Interval } from "../../src/analytics/interval.ts";
import { reportAnalytics } from "../../src/analytics/report-analytics.ts";
import type { ClickQuery, FirstClickQuery, Metric } from "../../src/clicks/query.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import type { Db } from "../../src/database/database.ts";

/** A workspace or one of its links, and its number of human clicks. */
export type ReportSubject = { name: string; workspaceId: number; linkId: string | undefined; clicks: number };

/** The subjects of the rows of the table. */
export type ReportSubjects = Record<"popular" | "ordinary" | "small" | "middling" | "largest", ReportSubject>;

const popularClicks = 100_000;
const ordinaryClicks = 300;
const smallClicks = 67;
const middlingClicks = 1_000_000;

/** Picks links by their counters, each as close to its size as possible. */
export async function findSubjects(db: Db): Promise<ReportSubjects> {
  const links = await db.selectFrom("links").select(["id", "workspaceId", "clicks"]).where("clicks", ">", 0).execute();
  const sizes = new Map<number, number>();
  for (const { workspaceId, clicks } of links) sizes.set(workspaceId, (sizes.get(workspaceId) ?? 0) + clicks);
  const workspaces = Array.from(sizes, ([workspaceId, clicks]) => ({ workspaceId, clicks, linkId: undefined }));
  const largest = nearest(workspaces, Number.MAX_SAFE_INTEGER);
  const candidates = links.map(({ id, ...link }) => ({ ...link, linkId: id }));
  const ofLargest = candidates.filter(({ workspaceId }) => workspaceId === largest.workspaceId);
  return {
    popular: { name: "one popular link", ...nearest(candidates, popularClicks) },
    ordinary: { name: "one ordinary link", ...nearest(ofLargest, ordinaryClicks) },
    small: { name: "one small link", ...nearest(ofLargest, smallClicks) },
    middling: { name: "a workspace", ...nearest(workspaces, middlingClicks) },
    largest: { name: "the largest workspace", ...largest },
  };
}

function nearest<Sized extends { clicks: number }>(all: readonly Sized[], clicks: number): Sized {
  const distance = (one: Sized) => Math.abs(Math.log(one.clicks / clicks));
  const [first, ...others] = all;
  if (first === undefined) throw new Error("No link was clicked.");
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

/** The groupings with a non-empty answer. */
export const measuredGroupings: readonly AnalyticsGrouping[] = analyticsGroupings.filter(
  (name) => groupings[name].kind !== "none" && name !== "trigger",
);

/** The store calls of one API call, in order, and how many milliseconds the store took. */
export type ReportQuestion = {
  /** The first click that is read before the queries; undefined when it is not needed. */
  firstClick: FirstClickQuery | undefined;
  queries: readonly ClickQuery[];
  storeMs: number;
};

/** The subject and parameters of a query. */
type QuestionParameters = { subject: ReportSubject; grouping: AnalyticsGrouping; interval: Interval; metric: Metric };

/** The store calls that a report needs. */
type Store = Pick<ClickStore, "query" | "firstClick" | "lastClicks">;

/** Runs the report and records its store calls. */
export async function questionOf(
  { db, store, at }: { db: Db; store: Store; at: number },
  { subject, grouping, interval, metric }: QuestionParameters,
): Promise<ReportQuestion> {
  const queries: ClickQuery[] = [];
  let firstClick: FirstClickQuery | undefined;
  let storeMs = 0;
  const timed = async <Result>(answer: Promise<Result>) => {
    const startedAt = performance.now();
    try {
      return await answer;
    } finally {
      storeMs += performance.now() - startedAt;
    }
  };
  const pipeline = {
    // Only deleted links are looked up, and there are none.
    lastClicks: store.lastClicks,
    firstClick(query: FirstClickQuery) {
      firstClick = query;
      return timed(store.firstClick(query));
    },
    query(query: ClickQuery) {
      queries.push(query);
      return timed(store.query(query));
    },
  };
  const { workspaceId, linkId } = subject;
  const actor: Actor = { userId: "", workspaceId, role: "owner", scopes: null, expiresAt: null };
  const question = { event: "clicks", groupBy: grouping, interval, metric, linkId } as const;
  await reportAnalytics({ db, pipeline, now: () => at }, actor, question);
  return { firstClick, queries, storeMs };
}
