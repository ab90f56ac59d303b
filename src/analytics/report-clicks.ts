import type { Actor } from "../access/actor.ts";
import { isoTime } from "../base/time.ts";
import type { ClickRow, ClickSelection, Metric } from "../clicks/query.ts";
import {
  type Counted,
  countBuckets,
  countClicks,
  counted,
  type ReportDeps,
  type ReportOptions,
  resolveSelection,
  type SelectionInput,
} from "./click-selection.ts";
import { directLabel, unknownLabel } from "./filters.ts";
import { type Bucket, bucketStarts, type Period, type Range } from "./interval.ts";

/**
 * The two reports of the specification.
 *
 * 1. Total and rows of one answer always add up, also while clicks keep coming: the total is computed from the rows.
 *    Visitors do not add up: one who came twice, from two places, is one visitor in each row and one in all.
 */

/** TABLE of what clicks can be grouped by; count means not at all. */
export const clickGroupings = ["count", "browser", "os", "referer", "country", "device"] as const;
export type ClickGrouping = (typeof clickGroupings)[number];

/** The most groups that have a row of their own. What the others have together stands in one more row, otherLabel. */
export const groupsMax = 5_000;
export const otherLabel = "Other";

type DimensionName = Exclude<ClickGrouping, "count">;
/** The clicks of one group; the group's value stands under its dimension's name. */
type GroupRow = { [Name in DimensionName]?: string } & Counted;

/** The answer of reportClicks. */
export type ClicksReport = {
  groupBy: ClickGrouping;
  /** "custom" where start or end were given. */
  interval: Range["interval"];
  start: string;
  end: string;
  /** The sum of the rows, where there are any. */
  clicks: number;
  /** For that metric. */
  visitors?: number;
  /** The stretch of time before, where a comparison was asked for. */
  previous?: { start: string; end: string } & Counted;
  data: GroupRow[];
};

/** A point of a timeseries, beside the one of the stretch before where a comparison was asked for. */
type ComparedBucket = Bucket & { previous?: Bucket };

/**
 * The clicks of a stretch of time: their number, and the groups they fall into, the most first, ties by value.
 * Guarantee: the rows' clicks add up to the total, the unknown and the Other included.
 * Throws "not_found" for an unknown link, domain, folder or tag, "unprocessable_entity" for what cannot be read,
 * "unavailable" while the store cannot answer.
 */
export async function reportClicks(
  deps: ReportDeps,
  actor: Actor,
  { groupBy, ...question }: SelectionInput & ReportOptions & { groupBy: ClickGrouping },
): Promise<ClicksReport> {
  const { metric } = question;
  const { range, selection, previous } = await resolveSelection(deps, actor, question);
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
 * The clicks of each bucket of a stretch of time, ascending; every bucket is there, zeros included.
 * Guarantee: their sum is the total of reportClicks for the same question. Throws as reportClicks.
 */
export async function reportTimeseries(
  deps: ReportDeps,
  actor: Actor,
  question: SelectionInput & ReportOptions,
): Promise<ComparedBucket[]> {
  const { range, selection, previous } = await resolveSelection(deps, actor, question);
  const buckets = await countBuckets(deps, selection, bucketStarts(range), question.metric);
  if (previous === undefined) return buckets;
  const { from, to, starts } = previous;
  const before = await countBuckets(deps, { ...selection, from, to }, starts, question.metric);
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

/** Every group, or the largest groupsMax and one row for what all the others have. */
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

/** The groups with names people can read; where a value is itself named like the unknown, the two are one row. */
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
