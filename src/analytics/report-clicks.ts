import type { Actor } from "../access/actor.ts";
import { invalid } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { ClickQuery, ClickRow, Dimension, Filter } from "../clicks/query.ts";
import type { Db } from "../database/database.ts";
import { findDomainForFilter } from "../domains/domains.ts";
import { findNamedLink, type LinkName } from "../links/find-links.ts";
import { directLabel, type FilterInput, parseBots, parseFilters, unknownLabel } from "./filters.ts";
import {
  type Bucket,
  bucketStarts,
  foldSlots,
  needsEarliest,
  type Range,
  type RangeQuestion,
  resolveRange,
  slotMsFor,
} from "./interval.ts";

/**
 * Reports of clicks: scope, question, answer of the store, buckets and labels.
 *
 * 1. Every question names the actor's workspace, whatever else it asks.
 * 2. A name or filter that is given always narrows the answer; an empty one is refused, never taken for "everything".
 * 3. Total and rows of one answer always add up, also while clicks keep coming: the total is computed from the rows.
 */

/** TABLE of what clicks can be grouped by; count means not at all. */
export const clickGroupings = ["count", "browser", "os", "referer", "country", "device"] as const;
export type ClickGrouping = (typeof clickGroupings)[number];

/** The most groups that have a row of their own. What the others have together stands in one more row, otherLabel. */
export const groupsMax = 5_000;
export const otherLabel = "Other";

/** Which clicks are asked for. The first of linkId, externalId and domain with key that is given names one link. */
export type ClickQuestion = LinkName & RangeQuestion & FilterInput & { bots?: string | undefined };

type DimensionName = Exclude<ClickGrouping, "count">;
/** The clicks of one group; the group's value stands under its dimension's name. */
export type GroupRow = { [Name in DimensionName]?: string } & { clicks: number };

/** The answer of reportClicks. */
export type ClicksReport = {
  groupBy: ClickGrouping;
  /** "custom" where start or end were given. */
  interval: Range["interval"];
  start: string;
  end: string;
  /** The sum of the rows, where there are any. */
  clicks: number;
  data: GroupRow[];
};

type Deps = { db: Db; pipeline: Pick<Pipeline, "query">; now: Clock };

/**
 * The clicks of a stretch of time: their number, and the groups they fall into, most clicks first, ties by value.
 * Guarantee: the rows add up to the total, the unknown and the Other included.
 * Throws "not_found" for an unknown link or domain, "unprocessable_entity" for what cannot be read, "unavailable"
 * while the store cannot answer.
 */
export async function reportClicks(
  deps: Deps,
  actor: Actor,
  { groupBy, ...question }: ClickQuestion & { groupBy: ClickGrouping },
): Promise<ClicksReport> {
  const { range, query } = await prepare(deps, actor, question);
  const head = { groupBy, interval: range.interval, start: range.start, end: range.end };
  if (groupBy === "count") return { ...head, clicks: await count(deps, query), data: [] };
  const groups = labelled(await queryGroups(deps, query, groupBy), groupBy);
  return { ...head, clicks: sumOf(groups), data: groups.map((group) => groupRow(groupBy, group)) };
}

/**
 * The clicks of each bucket of a stretch of time, ascending; every bucket is there, zeros included.
 * Guarantee: their sum is the total of reportClicks for the same question. Throws as reportClicks.
 */
export async function reportTimeseries(deps: Deps, actor: Actor, question: ClickQuestion): Promise<Bucket[]> {
  const { range, query } = await prepare(deps, actor, question);
  const starts = bucketStarts(range);
  const slotMs = slotMsFor(starts);
  const rows = await deps.pipeline.query({ ...query, grouping: { kind: "slots", slotMs } });
  return foldSlots(rows, slotMs, starts);
}

type UngroupedQuery = Omit<ClickQuery, "grouping">;

async function prepare(
  deps: Deps,
  actor: Actor,
  question: ClickQuestion,
): Promise<{ range: Range; query: UngroupedQuery }> {
  const bots = parseBots(question.bots);
  const filters = parseFilters(question);
  const scope = await findScope(deps, actor, question);
  const now = deps.now();
  const earliest = needsEarliest(question) ? await earliestMoment(deps, actor.workspaceId, now) : now;
  const range = resolveRange(question, { now, earliest });
  const query = {
    workspaceId: actor.workspaceId,
    from: range.from,
    to: range.to,
    bots,
    filters: [...scope, ...filters],
  };
  return { range, query };
}

/** The links that are asked about, as filters; none for the whole workspace. */
async function findScope({ db }: Deps, actor: Actor, { linkId, externalId, domain, key }: LinkName): Promise<Filter[]> {
  for (const [field, value] of Object.entries({ linkId, externalId, domain, key })) {
    if (value === "") throw invalid(field, "must not be empty; leave it out to ask about more.");
  }
  const isNamed = linkId !== undefined || externalId !== undefined;
  if (key !== undefined && domain === undefined && !isNamed) {
    throw invalid("key", "needs domain beside it, since every domain has keys of its own.");
  }
  if (isNamed || key !== undefined) {
    // A link keeps its clicks when it moves to another domain or key, so its id alone tells which are its own.
    const { id } = await findNamedLink({ db }, actor, { linkId, externalId, domain, key });
    return [{ dimension: "linkId", values: [id], isExcluded: false }];
  }
  if (domain === undefined) return [];
  // The id, since the slug of a domain may change, and with it WAYPOST_URL that of the instance's own.
  const { id } = await findDomainForFilter(db, actor.workspaceId, domain);
  return [{ dimension: "domainId", values: [id], isExcluded: false }];
}

/** When the workspace was made, or its first click of any class, if that is earlier, as after an import. */
async function earliestMoment({ db, pipeline }: Deps, workspaceId: number, now: number): Promise<number> {
  const { createdAt } = await db
    .selectFrom("workspaces")
    .select("createdAt")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  const [first] = await pipeline.query({
    workspaceId,
    from: 0,
    to: now,
    bots: "include",
    filters: [],
    grouping: { kind: "earliest" },
  });
  return first === undefined ? createdAt : Math.min(createdAt, Number(first.value));
}

async function count({ pipeline }: Deps, query: UngroupedQuery): Promise<number> {
  return sumOf(await pipeline.query({ ...query, grouping: { kind: "count" } }));
}

/** Every group, or the largest groupsMax and one row for what all the others have. */
async function queryGroups(deps: Deps, query: UngroupedQuery, dimension: Dimension): Promise<ClickRow[]> {
  const rows = await deps.pipeline.query({
    ...query,
    grouping: { kind: "dimension", dimension, rowsMax: groupsMax + 1 },
  });
  if (rows.length <= groupsMax) return rows;
  const shown = rows.slice(0, groupsMax);
  // Clicks stored between the two questions are counted among the others.
  const others = Math.max(0, (await count(deps, query)) - sumOf(shown));
  return [...shown, { value: otherLabel, clicks: others }];
}

/** The groups with names people can read, in their order. */
function labelled(rows: readonly ClickRow[], groupBy: DimensionName): { value: string; clicks: number }[] {
  const groups = new Map<string, number>();
  for (const { value, clicks } of rows) {
    const label = value === "" ? emptyLabel(groupBy) : String(value);
    groups.set(label, (groups.get(label) ?? 0) + clicks);
  }
  return Array.from(groups, ([value, clicks]) => ({ value, clicks })).sort(
    (one, other) => other.clicks - one.clicks || (one.value < other.value ? -1 : 1),
  );
}

function emptyLabel(groupBy: DimensionName): string {
  return groupBy === "referer" ? directLabel : unknownLabel;
}

function groupRow(groupBy: DimensionName, { value, clicks }: { value: string; clicks: number }): GroupRow {
  return { ...{ [groupBy]: value }, clicks };
}

function sumOf(rows: readonly { clicks: number }[]): number {
  return rows.reduce((sum, { clicks }) => sum + clicks, 0);
}
