/** What the benchmark of reports asks, and about whom. */
import type { Actor } from "../../src/access/actor.ts";
import { type AnalyticsGrouping, analyticsGroupings, groupings } from "../../src/analytics/groupings.ts";
import type { Interval } from "../../src/analytics/interval.ts";
import { reportAnalytics } from "../../src/analytics/report-analytics.ts";
import type { ClickQuery, Metric } from "../../src/clicks/query.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import type { Db } from "../../src/database/database.ts";

/** A workspace, or one link of it, with the clicks of people that it has. */
export type ReportSubject = { name: string; workspaceId: number; linkId: string | undefined; clicks: number };

/** Whom the rows of the table are about. */
export type ReportSubjects = Record<"popular" | "ordinary" | "small" | "middling" | "largest", ReportSubject>;

const popularClicks = 100_000;
const ordinaryClicks = 300;
const smallClicks = 67;
const middlingClicks = 1_000_000;

/** Picks by the links' counters, each as near to its size as there is one. */
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
  if (first === undefined) throw new Error("Nothing was clicked.");
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

/** The groupings that answer something. */
export const askedGroupings: readonly AnalyticsGrouping[] = analyticsGroupings.filter(
  (name) => groupings[name].kind !== "none" && name !== "trigger",
);

/** What one call of the API asks the store for, in turn, and how many milliseconds the store took this time. */
export type ReportQuestion = {
  /** The workspace whose first click is asked for, before the queries; undefined where it is not. */
  firstClickOf: number | undefined;
  queries: readonly ClickQuery[];
  storeMs: number;
};

/** What a question is about. */
export type Asked = { subject: ReportSubject; grouping: AnalyticsGrouping; interval: Interval; metric: Metric };

/** Who answers the store's part of a question. */
type Store = Pick<ClickStore, "query" | "firstClick" | "lastClicks">;

/** Lets the report itself ask, and notes what it asked the store for. */
export async function questionOf(
  { db, store, at }: { db: Db; store: Store; at: number },
  { subject, grouping, interval, metric }: Asked,
): Promise<ReportQuestion> {
  const queries: ClickQuery[] = [];
  let firstClickOf: number | undefined;
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
    // Asked about deleted links alone, of which there are none.
    lastClicks: store.lastClicks,
    firstClick(workspaceId: number) {
      firstClickOf = workspaceId;
      return timed(store.firstClick(workspaceId));
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
  return { firstClickOf, queries, storeMs };
}
