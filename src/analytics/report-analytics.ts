import type { Actor } from "../access/actor.ts";
import { invalid } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type {
  ClickRow,
  ClickSelection,
  Filter,
  Grouping,
  Labelled,
  LastClick,
  LinkSelection,
  Metric,
} from "../clicks/query.ts";
import type { Db } from "../database/database.ts";
import {
  findShownLinks,
  folderIdsOfLinks,
  type GroupedLink,
  linkSetMax,
  type ShownLink,
  tagIdsOfLinks,
} from "../links/link-set.ts";
import {
  type Counted,
  countBuckets,
  countClicks,
  countComparedBuckets,
  counted,
  type ReportDeps,
  type ReportOptions,
  type ResolvedSelection,
  resolveSelection,
  type SelectionInput,
} from "./click-selection.ts";
import { unknownLabel } from "./filters.ts";
import { type AnalyticsGrouping, type GroupingPlan, groupings } from "./groupings.ts";
import { type Bucket, bucketStarts } from "./interval.ts";
import { countWeekdayHours, type WeekdayHour, weekdayHours } from "./week-hours.ts";

/**
 * The report with all groupings.
 *
 * 1. Clicks with an unknown value have no row, nor do those of a deleted folder or tag. So rows may add up to less than
 *    the count; a timeseries always adds up to it. A deleted link has a row with the data of its last click.
 * 2. Folders and tags are the current ones of each link, not those at the time of the click.
 */

/** TABLE of the events of a report. There are no leads and sales yet, so their reports are empty. */
export const analyticsEvents = ["clicks", "leads", "sales", "composite"] as const;
type AnalyticsEvent = (typeof analyticsEvents)[number];

/** The most rows of a response, and the default. */
export const analyticsRowsMax = 5_000;
/** The most rows of the compared period in a comparison. */
const comparedRowsMax = 100_000;
/** The most domain names of one workspace's clicks; a renamed domain has several. */
const domainNamesMax = 10_000;

/** The subject of a row; `fields` are named as in the response. */
export type Subject =
  | ({ kind: "weekdayHour" } & WeekdayHour)
  | { kind: "values"; fields: Record<string, string> }
  | { kind: "link"; link: ShownLink }
  | { kind: "deletedLink"; link: LastClick }
  | { kind: "folder"; folder: { id: string; name: string } }
  | { kind: "tag"; tag: { id: string; name: string; color: string } };

/** A row of a response, with the numbers of the compared period if a comparison is requested. */
export type AnalyticsRow = { subject: Subject; numbers: Counted; previous: Counted | undefined };

/** The period of a report or of its comparison in ISO 8601; `end` is exclusive. */
export type ReportedPeriod = { start: string; end: string };

/** A report in the form of its grouping. */
export type AnalyticsReport =
  | { kind: "count"; period: ReportedPeriod; numbers: Counted; previous: (ReportedPeriod & Counted) | undefined }
  | { kind: "timeseries"; buckets: { bucket: Bucket; previous: Bucket | undefined }[] }
  /** `isTruncated`: more rows exist than were requested. */
  | { kind: "rows"; rows: AnalyticsRow[]; isTruncated: boolean };

/** The dependencies of this report. */
type AnalyticsDeps = ReportDeps & { pipeline: Pick<Pipeline, "lastClicks"> };

/** The parameters of this report. */
export type AnalyticsInput = SelectionInput &
  ReportOptions & {
    event: AnalyticsEvent;
    groupBy: AnalyticsGrouping;
    /** The most rows; analyticsRowsMax by default. Rows in order of time are always complete. */
    limit?: number | undefined;
  };

/**
 * Reports clicks by a grouping, the largest group first, at most `limit` rows; rows about time are in its order.
 * Throws "not_found" for an unknown link, domain, folder or tag, "unprocessable_entity" for a malformed value and for
 * folders or tags of more than linkSetMax clicked links, "unavailable" while the store cannot answer.
 */
export async function reportAnalytics(
  deps: AnalyticsDeps,
  actor: Actor,
  { event, groupBy, limit = analyticsRowsMax, ...input }: AnalyticsInput,
): Promise<AnalyticsReport> {
  // Only bots have a kind of bot.
  const about: SelectionInput & ReportOptions = groupBy === "bots" ? { ...input, bots: "only" } : input;
  const resolved = await resolveSelection(deps, actor, about);
  const plan: GroupingPlan = groupings[groupBy];
  // There are no leads and sales: report a selection without clicks.
  const isEmpty = event === "leads" || event === "sales";
  const selection = isEmpty ? withoutClicks(resolved) : resolved;
  switch (plan.kind) {
    case "count":
      return await reportCount(deps, selection, input.metric);
    case "timeseries":
      return await reportBuckets(deps, selection, input.metric);
    case "weekdayHours":
      return { kind: "rows", rows: await reportWeekdayHours(deps, selection, input.metric), isTruncated: false };
    case "none":
      return noRows;
    default:
      return isEmpty ? noRows : await reportRows(deps, selection, plan, { metric: input.metric, limit });
  }
}

const noRows: AnalyticsReport = { kind: "rows", rows: [], isTruncated: false };

function withoutClicks(resolved: ResolvedSelection): ResolvedSelection {
  const none: Filter = { dimension: "linkId", values: [], isExcluded: false };
  return { ...resolved, selection: { ...resolved.selection, filters: [none] } };
}

async function reportCount(
  deps: ReportDeps,
  { range: { start, end }, selection, previous }: ResolvedSelection,
  metric: Metric | undefined,
): Promise<AnalyticsReport> {
  const numbers = await countClicks(deps, selection, metric);
  const report = { kind: "count", period: { start, end }, numbers } as const;
  if (previous === undefined) return { ...report, previous };
  const { from, to } = previous;
  const before = await countClicks(deps, { ...selection, from, to }, metric);
  return { ...report, previous: { start: isoTime(from), end: isoTime(to), ...before } };
}

async function reportBuckets(
  deps: ReportDeps,
  { range, selection, previous }: ResolvedSelection,
  metric: Metric | undefined,
): Promise<AnalyticsReport> {
  const buckets = await countBuckets(deps, selection, bucketStarts(range), metric);
  const compared = previous && { previous, bucketsMax: buckets.length, metric };
  const before = compared === undefined ? [] : await countComparedBuckets(deps, selection, compared);
  return {
    kind: "timeseries",
    buckets: buckets.map((bucket, index) => ({ bucket, previous: before[index] })),
  };
}

async function reportWeekdayHours(
  deps: ReportDeps,
  { range, selection, previous }: ResolvedSelection,
  metric: Metric | undefined,
): Promise<AnalyticsRow[]> {
  const hours = await countWeekdayHours(deps, selection, range.zone, metric);
  const before =
    previous === undefined
      ? []
      : await countWeekdayHours(deps, { ...selection, from: previous.from, to: previous.to }, range.zone, metric);
  return weekdayHours.map((weekdayHour, index) => ({
    subject: { kind: "weekdayHour", ...weekdayHour },
    numbers: hours[index] ?? counted(undefined, metric),
    previous: before[index],
  }));
}

type RowsPlan = Exclude<GroupingPlan, { kind: "count" | "timeseries" | "weekdayHours" | "none" }>;
type GroupGrouping = Extract<Grouping, { kind: "dimension" | "labels" }>;

/**
 * The store's grouping, and the subjects of its rows; undefined for a deleted subject. If finding the labels has
 * already counted the clicks, `counts` are those rows.
 */
type Groups = {
  grouping: GroupGrouping;
  filters: Filter[];
  counts?: readonly ClickRow[] | undefined;
  subjects(rows: readonly ClickRow[]): Promise<Subjects>;
};
type Subjects = (row: ClickRow) => Subject | undefined;

async function reportRows(
  deps: AnalyticsDeps,
  { selection, previous }: ResolvedSelection,
  plan: RowsPlan,
  { metric, limit }: { metric: Metric | undefined; limit: number },
): Promise<AnalyticsReport> {
  // Clicks of both periods, so that the same labels serve both.
  const span = {
    ...selection,
    from: Math.min(selection.from, previous?.from ?? selection.from),
    to: Math.max(selection.to, previous?.to ?? selection.to),
  };
  const { grouping, filters, counts, subjects } = await groupsOf(deps, span, plan, limit + 1);
  const query = { ...selection, metric, filters: [...selection.filters, ...filters], grouping };
  const isCounted = previous === undefined && metric !== "visitors";
  // One row more than requested, to know whether more exist.
  const found = (isCounted ? counts : undefined) ?? (await deps.pipeline.query(query));
  const rows = found.slice(0, limit);
  const subjectOf = await subjects(rows);
  const before = new Map<string, ClickRow>();
  if (previous !== undefined && rows.length > 0) {
    const compared = await deps.pipeline.query({
      ...{ ...query, from: previous.from, to: previous.to },
      filters: grouping.kind === "labels" ? query.filters : [...query.filters, among(grouping, rows)],
      grouping: { ...grouping, rowsMax: comparedRowsMax },
    });
    for (const row of compared) before.set(nameOf(row), row);
  }
  const described = rows.flatMap((row) => {
    const subject = subjectOf(row);
    if (subject === undefined) return [];
    const rowBefore = previous === undefined ? undefined : counted(before.get(nameOf(row)), metric);
    return [{ subject, numbers: counted(row, metric), previous: rowBefore }];
  });
  return { kind: "rows", rows: described, isTruncated: found.length > limit };
}

function among({ dimension }: GroupGrouping, rows: readonly ClickRow[]): Filter {
  return { dimension, values: [...new Set(rows.map(({ value }) => String(value)))], isExcluded: false };
}

function nameOf({ value, within }: ClickRow): string {
  return JSON.stringify([value, within]);
}

async function groupsOf(deps: AnalyticsDeps, span: ClickSelection, plan: RowsPlan, rowsMax: number): Promise<Groups> {
  const { workspaceId } = span;
  switch (plan.kind) {
    case "values": {
      const { dimension, within, emptyLabel, row } = plan;
      const isKnown: Filter = { dimension, values: [""], isExcluded: true };
      return {
        grouping: { kind: "dimension", dimension, rowsMax, ...(within.length === 0 ? {} : { within }) },
        filters: emptyLabel === undefined ? [isKnown] : [],
        subjects: async () => (answered) => {
          const value = answered.value === "" ? (emptyLabel ?? unknownLabel) : String(answered.value);
          const wider = (answered.within ?? []).map((name) => (name === "" ? unknownLabel : name));
          return { kind: "values", fields: row(value, wider) };
        },
      };
    }
    case "links":
      return {
        grouping: { kind: "dimension", dimension: "linkId", rowsMax },
        filters: [],
        async subjects(rows) {
          const links = await findShownLinks(deps.db, workspaceId, valuesOf(rows));
          const linkIds = valuesOf(rows).filter((id) => !links.has(id));
          const deleted = await findDeletedLinks(deps, { workspaceId, linkIds });
          return ({ value }) => {
            const link = links.get(String(value));
            return link === undefined ? deleted.get(String(value)) : { kind: "link", link };
          };
        },
      };
    case "domains": {
      const { labels, counts } = await domainLabels(deps, span, rowsMax);
      return {
        ...{ grouping: { kind: "labels", dimension: "domainId", labels, rowsMax }, counts },
        filters: [],
        subjects: async () => (row) => ({ kind: "values", fields: { domain: String(row.value) } }),
      };
    }
    case "folders":
    case "tags": {
      const { labels, counts } = await placementLabels(deps, span, plan.kind, rowsMax);
      return {
        ...{ grouping: { kind: "labels", dimension: "linkId", labels, rowsMax }, counts },
        filters: [],
        subjects: (rows) => subjectsById(deps.db, workspaceId, plan.kind, valuesOf(rows)),
      };
    }
  }
}

/** The last clicks of deleted links, with the current names of their domains. */
async function findDeletedLinks(
  { db, pipeline }: AnalyticsDeps,
  selection: LinkSelection,
): Promise<Map<string, Subject>> {
  if (selection.linkIds.length === 0) return new Map();
  const links = await pipeline.lastClicks(selection);
  const slugs = await findSlugs(db, [...new Set(links.map(({ domainId }) => domainId))]);
  return new Map(
    links.map((link) => {
      const domain = slugs.get(link.domainId) ?? link.domain;
      return [link.linkId, { kind: "deletedLink", link: { ...link, domain } }];
    }),
  );
}

function valuesOf(rows: readonly ClickRow[]): string[] {
  return rows.map(({ value }) => String(value));
}

/** The labels of the clicked values, and the clicks of each label unless the values were too many to read. */
type CountedLabels = { labels: Labelled[]; counts: ClickRow[] | undefined };

/** The current slug of each domain; for a deleted domain, the slug with the most clicks. */
async function domainLabels(
  { db, pipeline }: ReportDeps,
  span: ClickSelection,
  rowsMax: number,
): Promise<CountedLabels> {
  const grouping: Grouping = { kind: "dimension", dimension: "domainId", within: ["domain"], rowsMax: domainNamesMax };
  const rows = await pipeline.query({ ...span, grouping });
  const slugs = new Map<string, string>();
  for (const { value, within } of rows) {
    if (!slugs.has(String(value))) slugs.set(String(value), within?.[0] ?? "");
  }
  for (const [id, slug] of await findSlugs(db, [...slugs.keys()])) slugs.set(id, slug);
  const labels = Array.from(slugs, ([value, label]) => ({ value, label })).filter(({ label }) => label !== "");
  return { labels, counts: rows.length < domainNamesMax ? countLabels(rows, labels, rowsMax) : undefined };
}

/** The slugs of the existing domains by id, including the instance's domain, which another workspace owns. */
export async function findSlugs(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const existing = db.selectFrom("domains").select(["id", "slug"]).whereRef("slug", "<>", "id");
  const rows = await existing.where("id", "in", ids).execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

async function placementLabels(
  { db, linkQueries, pipeline }: ReportDeps,
  span: ClickSelection,
  kind: "folders" | "tags",
  rowsMax: number,
): Promise<CountedLabels> {
  const grouping: Grouping = { kind: "dimension", dimension: "linkId", rowsMax: linkSetMax + 1 };
  const clicked = await pipeline.query({ ...span, grouping });
  if (clicked.length > linkSetMax) {
    throw invalid(
      "groupBy",
      `can group at most ${linkSetMax} links with clicks; choose a shorter interval or fewer links.`,
    );
  }
  const { workspaceId } = span;
  const readIds = kind === "folders" ? folderIdsOfLinks : tagIdsOfLinks;
  const read = (reads: Db) => readIds(reads, workspaceId, valuesOf(clicked));
  const placements: GroupedLink[] = await (linkQueries === undefined ? read(db) : linkQueries.run(workspaceId, read));
  const labels = placements.map(({ linkId, groupId }) => ({ value: linkId, label: groupId }));
  return { labels, counts: countLabels(clicked, labels, rowsMax) };
}

/** The rows that the store would return for these labels, computed from all rows by value. */
function countLabels(rows: readonly ClickRow[], labels: readonly Labelled[], rowsMax: number): ClickRow[] {
  const ofValues = new Map<string, number>();
  for (const { value, clicks } of rows) ofValues.set(String(value), (ofValues.get(String(value)) ?? 0) + clicks);
  const ofLabels = new Map<string, number>();
  for (const { value, label } of labels) {
    const clicks = ofValues.get(value);
    if (clicks !== undefined) ofLabels.set(label, (ofLabels.get(label) ?? 0) + clicks);
  }
  return Array.from(ofLabels, ([value, clicks]) => ({ value, clicks }))
    .sort((one, other) => other.clicks - one.clicks || (one.value < other.value ? -1 : 1))
    .slice(0, rowsMax);
}

async function subjectsById(
  db: Db,
  workspaceId: number,
  kind: "folders" | "tags",
  ids: readonly string[],
): Promise<Subjects> {
  if (ids.length === 0) return () => undefined;
  if (kind === "folders") {
    const folders = await db
      .selectFrom("folders")
      .select(["id", "name"])
      .where("workspaceId", "=", workspaceId)
      .where("id", "in", ids)
      .execute();
    const known = new Map(folders.map((folder) => [folder.id, { kind: "folder", folder } as const]));
    return ({ value }) => known.get(String(value));
  }
  const tags = await db
    .selectFrom("tags")
    .select(["id", "name", "color"])
    .where("workspaceId", "=", workspaceId)
    .where("id", "in", ids)
    .execute();
  const known = new Map(tags.map((tag) => [tag.id, { kind: "tag", tag } as const]));
  return ({ value }) => known.get(String(value));
}
