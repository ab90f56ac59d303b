/**
 * Compiles plans (plan-query.ts) to SQL for DuckDB, over the tables of star-schema.ts. Pure; tests compare the SQL with
 * golden files.
 */
import { dayMs, hourMs } from "../../../base/time.ts";
import type { ClickQuery, ClickSelection, Filter } from "../../query.ts";
import {
  type PlanSource,
  planQuery,
  type QueryPlan,
  type TextKeys,
  type TimeKeys,
  type TimeRange,
} from "../plan-query.ts";
import {
  type DimensionKeys,
  fingerprintsOf,
  groupedTables,
  hasShortTexts,
  isTextOf,
  joinFingerprints,
  keyColumnsOf,
  keyOfGroup,
  largestGroups,
  textsOf,
} from "./fingerprints.ts";
import { type Bind, binding, bucketOf, type CompiledQuery, inlineValuesMax, unnested } from "./sql.ts";
import {
  type CodeName,
  codes,
  codeText,
  columnSourceOf,
  type DimensionName,
  dimensionTables,
  isOwned,
  joinDimension,
  level0,
  rollupBucketMs,
  sqlNames,
} from "./star-schema.ts";

/** Surrogate keys of links by link id: one for each domain and key under which the link was clicked. */
export type KeysByLink = ReadonlyMap<string, readonly number[]>;

/**
 * What a statement may rely on: whether any clicks have expired, the surrogate keys of the links it names, and whether the
 * texts it groups are few (few-texts.ts).
 */
export type Known = { hasExpired: boolean; keys?: KeysByLink | undefined; hasFewTexts?: boolean };

/** Compiles a query to SQL: makes its plan, and compiles the plan. */
export function compileQuery(query: ClickQuery, { hasExpired, keys, hasFewTexts = false }: Known): CompiledQuery {
  const plan = planQuery(withLinkKeys(query, keys), { hasExpired, rollupBucketMs });
  const { parameters, bind } = binding();
  return { sql: compilePlan(plan, hasFewTexts, bind), parameters };
}

/** A filter on texts of a dimension table whose surrogate keys may be known. */
export type KeyedFilter = Filter & { keys?: readonly number[] };

/** The selection with the known surrogate keys of the links it names. */
export function withLinkKeys<Selection extends ClickSelection>(
  selection: Selection,
  keys: KeysByLink | undefined,
): Selection {
  if (keys === undefined) return selection;
  return { ...selection, filters: selection.filters.map((filter) => withKeys(filter, keys)) };
}

function withKeys(filter: Filter, known: KeysByLink): KeyedFilter {
  if (filter.dimension !== "linkId" || filter.isExcluded) return filter;
  const keys = filter.values.map((value) => known.get(value));
  return keys.every((all) => all !== undefined) ? { ...filter, keys: keys.flat() } : filter;
}

/**
 * SQL for the rows to count, under the alias "facts", and for their number of clicks. `isSelected` is true when the
 * rows already match the selection, so that they need no WHERE.
 */
type Source = { rows: string; clicks: string; isSelected?: boolean };

function compilePlan({ selection, source, keys, measures }: QueryPlan, hasFewTexts: boolean, bind: Bind): string {
  const rows = sourceRows(selection, source, bind);
  if (keys.kind === "text") {
    const { by } = keys;
    if (measures.length === 2) {
      return by.kind === "labels"
        ? countVisitorsByLabel(selection, by, rows, bind)
        : countVisitors(selection, by, rows, bind);
    }
    return by.kind === "labels" || hasFewTexts || hasShortTexts(by)
      ? countTextsByKey(selection, by, rows, bind)
      : countByKey(selection, by, rows, bind);
  }
  const select = `SELECT ${timeKey(keys.by, bind)} AS value, ${measuresOf(measures, rows)}`;
  const sql = `${select}\n${fromWhere(selection, rows, bind)}`;
  // An erasure adds rows with negative counts to the rollup, so the clicks of a bucket may add up to 0.
  return keys.by.kind === "count" ? sql : `${sql}\nGROUP BY value\nHAVING clicks > 0\nORDER BY value`;
}

const factRows: Source = { rows: "facts", clicks: "count(*)" };
const sumOfClicks = `coalesce(sum(facts."clicks"), 0)::BIGINT`;

function sourceRows(selection: ClickSelection, source: PlanSource, bind: Bind): Source {
  switch (source.kind) {
    case "clicks":
      return factRows;
    case "clicksAndExpired":
      return factAndExpiredRows;
    case "rollup":
      return rollupRows(selection, source, bind);
  }
}

/** Expired clicks keep no other columns than these. */
const factAndExpiredRows: Source = {
  rows: `(
SELECT "workspaceId", "time", "link", "bot", 1 AS "clicks" FROM facts
UNION ALL SELECT "workspaceId", "time", "link", "bot", "clicks" FROM ${sqlNames.expiredRollup}
) AS facts`,
  clicks: sumOfClicks,
};

/** The rollup, and what is not in it: the clicks of level 0, and those at the edges of the range. */
function rollupRows(
  selection: ClickSelection,
  { whole, edges }: { whole: TimeRange; edges: readonly TimeRange[] },
  bind: Bind,
): Source {
  const eachClick = (table: string, range: TimeRange) =>
    `SELECT "time", 1 FROM ${table} AS facts\nWHERE ${conditions({ ...selection, ...range }, bind)}`;
  const inRollup = [
    `facts."workspaceId" = ${bind(selection.workspaceId)}`,
    `"slot" >= ${bind(whole.from / rollupBucketMs)}`,
    `"slot" < ${bind(whole.to / rollupBucketMs)}`,
    ...botCondition(selection.bots),
  ];
  const all = [
    `SELECT "slot" * ${rollupBucketMs}::BIGINT AS "time", "clicks" FROM ${sqlNames.rollup} AS facts\nWHERE ${inRollup.join("\n  AND ")}`,
    eachClick(level0, selection),
    ...edges.map((edge) => eachClick(sqlNames.compactedFacts, edge)),
  ];
  return { rows: `(\n${all.join("\nUNION ALL\n")}\n) AS facts`, clicks: sumOfClicks, isSelected: true };
}

/** SQL for a grouping key that is computed from the time of a fact. */
export function timeKey(keys: TimeKeys, bind: Bind): string {
  switch (keys.kind) {
    case "count":
      return "0";
    case "intervals":
      return `"time" // ${bind(keys.intervalMs)}::BIGINT`;
    case "buckets":
      return bucketOf(keys.starts, bind);
    case "weekHours": {
      const starts = keys.offsets.map(({ from }) => from);
      const offset = bucketOf(starts, bind, (index) => bind(keys.offsets[index]?.offsetMs ?? 0));
      // 1970 began on a Thursday: with three days more, hour 0 of the 168 hours of a week is Monday's first.
      return `(("time" + ${offset} + ${3 * dayMs}) // ${hourMs}) % 168`;
    }
  }
}

function fromWhere(selection: ClickSelection, { rows, isSelected }: Source, bind: Bind): string {
  return isSelected ? `FROM ${rows}` : `FROM ${rows}\nWHERE ${conditions(selection, bind)}`;
}

/** SQL that counts different visitors. Visitors who opted out of tracking have the hash 0, which is not counted. */
export const countOfVisitors = `count(DISTINCT nullif("visitor", 0))`;

function measuresOf(measures: QueryPlan["measures"], { clicks }: Source): string {
  return measures.length === 1 ? `${clicks} AS clicks` : `${clicks} AS clicks, ${countOfVisitors} AS visitors`;
}

/** SQL for the conditions that select rows of `facts`. Uses the surrogate keys that the filters have. */
export function conditions(selection: ClickSelection, bind: Bind): string {
  return [
    `facts."workspaceId" = ${bind(selection.workspaceId)}`,
    `facts."time" >= ${bind(selection.from)}`,
    `facts."time" < ${bind(selection.to)}`,
    ...botCondition(selection.bots),
    ...selection.filters.map((filter) => filterCondition(filter, selection, bind)),
  ].join("\n  AND ");
}

function botCondition(bots: ClickSelection["bots"]): string[] {
  if (bots === "include") return [];
  return [bots === "only" ? `facts."bot" <> 0` : `facts."bot" = 0`];
}

function filterCondition(filter: KeyedFilter, { workspaceId }: ClickSelection, bind: Bind): string {
  const { dimension, values, isExcluded, keys } = filter;
  if (keys?.length === 0) return "false";
  // A filter on no values matches no click, and excluding no values matches all.
  if (values.length === 0) return isExcluded ? "true" : "false";
  const source = columnSourceOf(dimension);
  if (source.kind === "code") return codeCondition(source.code, values, isExcluded);
  const { column } = dimensionTables[source.name];
  const numbers = keys?.map(bind).join(", ") ?? selectKeys(filter, { name: source.name, workspaceId }, bind);
  return `facts."${column}" IN (${numbers})`;
}

/** SQL that selects the surrogate keys of a filter's texts in its dimension table. `values` are not empty. */
export function selectKeys(
  filter: Filter,
  { name, workspaceId }: { name: DimensionName; workspaceId: number },
  bind: Bind,
): string {
  const owner = isOwned(name) ? `"workspaceId" = ${bind(workspaceId)} AND ` : "";
  return `SELECT "number" FROM "${dimensionTables[name].table}" WHERE ${owner}${textCondition(filter, bind)}`;
}

/** A filter's condition on rows of its dimension table. `values` are not empty. */
function textCondition({ dimension, values, isExcluded }: Filter, bind: Bind): string {
  const source = columnSourceOf(dimension);
  if (source.kind === "code") throw new Error(`${dimension} is in no dimension table.`);
  const list = values.length > inlineValuesMax ? `SELECT ${unnested(values, bind)}` : values.map(bind).join(", ");
  return `${source.expression} ${isExcluded ? "NOT IN" : "IN"} (${list})`;
}

function codeCondition(code: CodeName, values: readonly string[], isExcluded: boolean): string {
  const texts: readonly string[] = codes[code];
  const numbers = texts.flatMap((text, number) => (values.includes(text) === isExcluded ? [] : [number]));
  return numbers.length === 0 ? "false" : `facts."${code}" IN (${numbers.join(", ")})`;
}

/** A grouping by labels. */
export type LabelKeys = Extract<TextKeys, { kind: "labels" }>;

/** The joins with the labels of a grouping. `from` is the alias of the rows with the surrogate key or code. */
export function joinLabels({ dimension, labels }: LabelKeys, from: string, bind: Bind): string[] {
  const source = columnSourceOf(dimension);
  const text = source.kind === "dimension" ? source.expression : codeText(source.code, `${from}."${source.code}"`);
  const values = unnested(
    labels.map(({ value }) => value),
    bind,
  );
  const names = unnested(
    labels.map(({ label }) => label),
    bind,
  );
  return [
    ...(source.kind === "dimension" ? [joinDimension(source.name, from)] : []),
    `JOIN (SELECT ${values} AS named, ${names} AS label) ON ${text} = named`,
  ];
}

/**
 * Counts clicks by surrogate key first and by label or short text afterwards: a workspace has far fewer keys than clicks.
 * Filters on the joined texts apply after the count. Filters on links apply before it, because they decide which rows are
 * read.
 */
function countTextsByKey(selection: ClickSelection, keys: TextKeys, source: Source, bind: Bind): string {
  const { texts, names, join } = namedTexts(keys, "counted", bind);
  const tables = groupedTables(keys).map(({ name }) => name);
  const { before, after } = splitFilters(selection, tables);
  const conditionsAfterCount = after.map((filter) => textCondition(filter, bind));
  const columns = keyColumnsOf(keys)
    .map((column) => `"${column}"`)
    .join(", ");
  return [
    `SELECT ${texts}, sum(counted.clicks)::BIGINT AS clicks`,
    "FROM (",
    `SELECT ${columns}, ${source.clicks} AS clicks`,
    fromWhere(before, source, bind),
    `GROUP BY ${columns}`,
    ") AS counted",
    ...join,
    ...(conditionsAfterCount.length === 0 ? [] : [`WHERE ${conditionsAfterCount.join("\n  AND ")}`]),
    `GROUP BY ${names}`,
    `ORDER BY clicks DESC, ${names}`,
    `LIMIT ${bind(keys.rowsMax)}`,
  ].join("\n");
}

/** The texts of a grouping as columns, their names, and the joins that they need. `from` has the surrogate keys. */
function namedTexts(keys: TextKeys, from: string, bind: Bind): { texts: string; names: string; join: string[] } {
  if (keys.kind === "labels") return { texts: "label AS value", names: "value", join: joinLabels(keys, from, bind) };
  return { ...textsOf(keys, from), join: groupedTables(keys).map(({ name }) => joinDimension(name, from)) };
}

/** The selection without its filters on the texts of these dimension tables, except links, and those filters. */
function splitFilters(
  selection: ClickSelection,
  names: readonly DimensionName[],
): { before: ClickSelection; after: Filter[] } {
  const isAfterCount = ({ dimension, values }: Filter) => {
    const source = columnSourceOf(dimension);
    return values.length > 0 && source.kind === "dimension" && source.name !== "link" && names.includes(source.name);
  };
  const before = selection.filters.filter((filter) => !isAfterCount(filter));
  return { before: { ...selection, filters: before }, after: selection.filters.filter(isAfterCount) };
}

/** Joins the labels to each click: visitors of two keys cannot be added up. visitor-partitions.ts bounds the clicks. */
function countVisitorsByLabel(selection: ClickSelection, keys: LabelKeys, source: Source, bind: Bind): string {
  return [
    `SELECT label AS value, ${measuresOf(["clicks", "visitors"], source)}`,
    "FROM facts",
    ...joinLabels(keys, "facts", bind),
    `WHERE ${conditions(selection, bind)}`,
    `GROUP BY value`,
    `ORDER BY visitors DESC, clicks DESC, value`,
    `LIMIT ${bind(keys.rowsMax)}`,
  ].join("\n");
}

/** Counts clicks by surrogate key first, and by the fingerprint of the texts afterwards; see fingerprints.ts. */
function countByKey(selection: ClickSelection, keys: DimensionKeys, source: Source, bind: Bind): string {
  const { before, join } = joinTexts(selection, { keys, to: "used" }, bind);
  const columns = keyColumnsOf(keys).map((column) => `"${column}"`);
  const counted = [
    `SELECT ${keyOfGroup(keys, "used")}, sum(used.clicks)::BIGINT AS clicks`,
    "FROM (",
    `SELECT ${columns.join(", ")}, ${source.clicks} AS clicks`,
    fromWhere(before, source, bind),
    `GROUP BY ${columns.join(", ")}`,
    ") AS used",
    ...join,
    `GROUP BY ${fingerprintsOf(keys, "used")}`,
  ].join("\n");
  return largestGroups(counted, { keys, measures: ["clicks"] }, bind);
}

/** Joins the fingerprints to each click: visitors of two keys cannot be added up. */
function countVisitors(selection: ClickSelection, keys: DimensionKeys, source: Source, bind: Bind): string {
  const { before, join } = joinTexts(selection, { keys, to: "facts" }, bind);
  const counted = [
    `SELECT ${keyOfGroup(keys, "facts")}, ${measuresOf(["clicks", "visitors"], source)}`,
    "FROM facts",
    ...join,
    `WHERE ${conditions(before, bind)}`,
    `GROUP BY ${fingerprintsOf(keys, "facts")}`,
  ].join("\n");
  return largestGroups(counted, { keys, measures: ["clicks", "visitors"] }, bind);
}

/** The selection without the filters that joinTexts applies. */
export function withoutTextFilters(selection: ClickSelection, keys: DimensionKeys): ClickSelection {
  const names = groupedTables(keys).map(({ name }) => name);
  return splitFilters(selection, names).before;
}

/**
 * The joins with the fingerprints of a grouping's texts, and the selection without the filters that these joins apply.
 * Gain: each text is read once.
 */
export function joinTexts(
  selection: ClickSelection,
  { keys, to }: { keys: DimensionKeys; to: string },
  bind: Bind,
): { before: ClickSelection; join: string[] } {
  const tables = groupedTables(keys);
  const names = tables.map(({ name }) => name);
  const { before, after } = splitFilters(selection, names);
  const filtersOf = (name: DimensionName) =>
    after.filter(({ dimension }) => isTextOf(name, dimension)).map((filter) => textCondition(filter, bind));
  const join = tables.map((table) => {
    const { workspaceId } = selection;
    return joinFingerprints(table, { to, workspaceId, filters: filtersOf(table.name) }, bind);
  });
  return { before, join };
}
