import type { Actor } from "../access/actor.ts";
import { isoTime } from "../base/time.ts";
import type { ClickRow, ClickSelection, Metric } from "../clicks/query.ts";
import {
  type Counted,
  countBuckets,
  countClicks,
  countComparedBuckets,
  counted,
  type ReportDeps,
  type ReportOptions,
  resolveSelection,
  type SelectionInput,
} from "./click-selection.ts";
import type { Period } from "./compared-period.ts";
import { directLabel, unknownLabel } from "./filters.ts";
import { type Bucket, bucketStarts, type Range } from "./interval.ts";

/**
 * The two reports of the specification.
 *
 * 1. The total and the rows of a response always agree, also while clicks arrive: the total is computed from the rows.
 *    Visitors do not add up: a visitor who came from two places is one visitor in each row and one in the total.
 */

/** TABLE of the groupings of clicks; count means none. */
export const clickGroupings = ["count", "browser", "os", "referer", "country", "device"] as const;
export type ClickGrouping = (typeof clickGroupings)[number];

/** The most groups with their own rows. One more row, otherLabel, has the clicks of all others. */
export const groupsMax = 5_000;
export const otherLabel = "Other";

type DimensionName = Exclude<ClickGrouping, "count">;
/** The clicks of one group; the field named after its dimension has its value. */
type GroupRow = { [Name in DimensionName]?: string } & Counted;

/** The result of reportClicks. */
type ClicksReport = {
  groupBy: ClickGrouping;
  /** "custom" when start or end were given. */
  interval: Range["interval"];
  start: string;
  end: string;
  /** The sum of the rows, if there are rows. */
  clicks: number;
  /** For that metric. */
  visitors?: number;
  /** The compared period, if a comparison is requested. */
  previous?: { start: string; end: string } & Counted;
  data: GroupRow[];
};

/** A point of a timeseries, with the compared period's point if a comparison is requested. */
type ComparedBucket = Bucket & { previous?: Bucket };

/**
 * Reports the number of clicks in a period and its groups, the largest first, ties by value.
 * Guarantee: the rows' clicks add up to the total, the Unknown and Other rows included.
 * Throws "not_found" for an unknown link, domain, folder or tag, "unprocessable_entity" for a malformed value,
 * "unavailable" while the store cannot answer.
 */
export async function reportClicks(
  deps: ReportDeps,
  actor: Actor,
  { groupBy, ...input }: SelectionInput & ReportOptions & { groupBy: ClickGrouping },
): Promise<ClicksReport> {
  const { metric } = input;
  const { range, selection, previous } = await resolveSelection(deps, actor, input);
  const before = previous === undefined ? {} : { previous: await countPeriod(deps, selection, previous, metric) };
  const head = { groupBy, interval: range.interval, start: range.start, end: range.end };
  if (groupBy === "count") return { ...head, ...(await countClicks(deps, selection, metric)), ...before, data: [] };
  const groups = labelled(await queryGroups(deps, selection, groupBy, metric), groupBy, metric);
  const visitors =
    metric === "visitors" ? { visitors: (await countClicks(deps, selection, metric)).visitors ?? 0 } : {};
  const data = groups.map(({ value, ...numbers }) => ({ ...{ [groupBy]: value }, ...numbers }));
  return { ...head, clicks: sumOf(groups), ...visitors, ...before, data };
}

/**
 * Reports the clicks of each bucket of a period, ascending, zeros included.
 * Guarantee: their sum is the total of reportClicks with the same parameters. Throws like reportClicks.
 */
export async function reportTimeseries(
  deps: ReportDeps,
  actor: Actor,
  input: SelectionInput & ReportOptions,
): Promise<ComparedBucket[]> {
  const { range, selection, previous } = await resolveSelection(deps, actor, input);
  const buckets = await countBuckets(deps, selection, bucketStarts(range), input.metric);
  if (previous === undefined) return buckets;
  const compared = { previous, bucketsMax: buckets.length, metric: input.metric };
  const before = await countComparedBuckets(deps, selection, compared);
  return buckets.map((bucket, index) => {
    const bucketBefore = before[index];
    return bucketBefore === undefined ? bucket : { ...bucket, previous: bucketBefore };
  });
}

async function countPeriod(
  deps: ReportDeps,
  selection: ClickSelection,
  { from, to }: Period,
  metric: Metric | undefined,
): Promise<{ start: string; end: string } & Counted> {
  return { start: isoTime(from), end: isoTime(to), ...(await countClicks(deps, { ...selection, from, to }, metric)) };
}

/** Every group, or the largest groupsMax and one row for all others. */
async function queryGroups(
  deps: ReportDeps,
  selection: ClickSelection,
  dimension: DimensionName,
  metric: Metric | undefined,
): Promise<ClickRow[]> {
  const rows = await deps.pipeline.query({
    ...selection,
    metric,
    grouping: { kind: "dimension", dimension, rowsMax: groupsMax + 1 },
  });
  if (rows.length <= groupsMax) return rows;
  const shown = rows.slice(0, groupsMax);
  const values = shown.map(({ value }) => String(value));
  const filters = [...selection.filters, { dimension, values, isExcluded: true }];
  return [...shown, { value: otherLabel, ...(await countClicks(deps, { ...selection, filters }, metric)) }];
}

type Group = { value: string } & Counted;

/** The groups with readable names; a value that equals a label is merged with that row. */
function labelled(rows: readonly ClickRow[], groupBy: DimensionName, metric: Metric | undefined): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const value = row.value === "" ? emptyLabel(groupBy) : String(row.value);
    const group = groups.get(value);
    if (group === undefined) {
      groups.set(value, { value, ...counted(row, metric) });
    } else {
      group.clicks += row.clicks;
      if (row.visitors !== undefined) group.visitors = (group.visitors ?? 0) + row.visitors;
    }
  }
  return Array.from(groups.values()).sort(
    (one, other) =>
      (other.visitors ?? 0) - (one.visitors ?? 0) || other.clicks - one.clicks || (one.value < other.value ? -1 : 1),
  );
}

function emptyLabel(groupBy: DimensionName): string {
  return groupBy === "referer" ? directLabel : unknownLabel;
}

function sumOf(rows: readonly { clicks: number }[]): number {
  return rows.reduce((sum, { clicks }) => sum + clicks, 0);
}
