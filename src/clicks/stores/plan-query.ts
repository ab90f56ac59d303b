/**
 * Turns a ClickQuery into a plan that every engine can execute: which rows to read (source), what to group by (keys)
 * and what to count (measures). Each engine compiles the plan to its own SQL. Pure.
 */
import type { ClickQuery, ClickSelection, Dimension, Filter, Grouping } from "../query.ts";

/** Half open: from is in, to is out. In milliseconds. */
export type TimeRange = { from: number; to: number };

/** The rows a plan reads. */
export type PlanSource =
  /** The clicks themselves. */
  | { kind: "clicks" }
  /** The clicks, and the counts that are left of expired ones. */
  | { kind: "clicksAndExpired" }
  /** The rollup for the whole buckets of the range, and the clicks for the edges, which are shorter than a bucket. */
  | { kind: "rollup"; whole: TimeRange; edges: readonly TimeRange[] };

/** Keys that are computed from a click's time. */
export type TimeKeys = Exclude<Grouping, { kind: "dimension" | "labels" }>;
/**
 * Keys that are texts of a click. `dimensions` are the texts to read: the key, and those that tell equal keys apart.
 */
export type TextKeys = Extract<Grouping, { kind: "dimension" | "labels" }>;

/** What to execute for a query. */
export type QueryPlan = {
  selection: ClickSelection;
  source: PlanSource;
  keys: { kind: "time"; by: TimeKeys } | { kind: "text"; by: TextKeys; dimensions: readonly Dimension[] };
  measures: readonly ["clicks"] | readonly ["clicks", "visitors"];
};

/** What a store has besides the clicks: a rollup in buckets of this length, and whether any clicks have expired. */
type TableStats = { rollupBucketMs?: number; hasExpired: boolean };

/** The dimensions that expired clicks keep: those of their link. */
const linkDimensions: readonly Dimension[] = ["linkId", "domainId", "domain", "key"];

/** Plans a query. */
export function planQuery(query: ClickQuery, stats: TableStats): QueryPlan {
  const { grouping, metric = "clicks", ...selection } = query;
  return {
    selection,
    source: sourceOf(query, stats),
    keys: isTextKeys(grouping)
      ? { kind: "text", by: grouping, dimensions: dimensionsOf(grouping) }
      : { kind: "time", by: grouping },
    measures: metric === "clicks" ? ["clicks"] : ["clicks", "visitors"],
  };
}

/** True for a grouping by texts. */
export function isTextKeys(grouping: Grouping): grouping is TextKeys {
  return grouping.kind === "dimension" || grouping.kind === "labels";
}

/** The dimension of the key, and those that tell equal keys apart. */
export function dimensionsOf(keys: TextKeys): readonly Dimension[] {
  return [keys.dimension, ...(keys.kind === "dimension" ? (keys.within ?? []) : [])];
}

function sourceOf(query: ClickQuery, { rollupBucketMs, hasExpired }: TableStats): PlanSource {
  const { filters, grouping, metric = "clicks" } = query;
  // Visitors cannot be added up from counts.
  if (metric === "visitors") return { kind: "clicks" };
  if (rollupBucketMs !== undefined && filters.length === 0 && alignsWith(grouping, rollupBucketMs)) {
    const { whole, edges } = splitByBucket(query, rollupBucketMs);
    if (whole.from < whole.to) return { kind: "rollup", whole, edges };
  }
  return hasExpired && needsOnlyLinks(filters, grouping) ? { kind: "clicksAndExpired" } : { kind: "clicks" };
}

/** The whole buckets of a range, and what is left of the range before and after them. */
export function splitByBucket({ from, to }: TimeRange, bucketMs: number): { whole: TimeRange; edges: TimeRange[] } {
  const whole = { from: Math.ceil(from / bucketMs) * bucketMs, to: Math.floor(to / bucketMs) * bucketMs };
  const edges = [
    { from, to: whole.from },
    { from: whole.to, to },
  ];
  return { whole, edges: edges.filter((edge) => edge.from < edge.to) };
}

/** True when no border between two groups cuts a bucket. */
export function alignsWith(grouping: Grouping, bucketMs: number): boolean {
  switch (grouping.kind) {
    case "count":
      return true;
    case "intervals":
      return grouping.intervalMs % bucketMs === 0;
    case "buckets":
      return grouping.starts.slice(1).every((start) => start % bucketMs === 0);
    case "weekHours":
      // The first offset holds for all clicks before the second one, wherever it begins.
      return grouping.offsets.every(
        ({ from, offsetMs }, index) => (index === 0 || from % bucketMs === 0) && offsetMs % bucketMs === 0,
      );
    case "dimension":
    case "labels":
      return false;
  }
}

/** True when the links of clicks, their times and whether a bot clicked are enough to answer. */
function needsOnlyLinks(filters: readonly Filter[], grouping: Grouping): boolean {
  const named = filters.map(({ dimension }) => dimension);
  if (isTextKeys(grouping)) named.push(...dimensionsOf(grouping));
  return named.every((dimension) => linkDimensions.includes(dimension));
}
