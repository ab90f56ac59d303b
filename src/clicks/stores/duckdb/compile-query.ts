import { dayMs, hourMs } from "../../../base/time.ts";
import type { ClickQuery, ClickSelection, Filter, Grouping, Metric } from "../../query.ts";
import type { KeysByLink } from "./link-key-cache.ts";
import {
  type CodeName,
  codes,
  codeText,
  columnSourceOf,
  type DimensionName,
  dimensionTables,
  joinDimension,
  rollupBucketMs,
} from "./star-schema.ts";

/** SQL with `$1`-style parameters; texts never stand in it themselves. Columns come from a closed list of names. */
export type CompiledQuery = { sql: string; parameters: (string | number)[] };

/** Answers how the SQL names a value: a text by a parameter that is added, a whole number by its digits, no text by ''. */
export type Bind = (value: string | number) => string;

/** Beyond so many values a filter is a join with a list: parsing and comparing one by one would take seconds. */
export const inlineValuesMax = 100;

/** What a statement may take for granted of a store: that it holds no totals, and which numbers links have. */
export type TableStats = { hasExpired: boolean; keys?: KeysByLink | undefined };

/** Compiles a question to SQL for DuckDB, over the tables of facts.ts. Pure; the texts are kept as golden files. */
export function compileQuery(query: ClickQuery, { hasExpired, keys }: TableStats): CompiledQuery {
  const { parameters, bind } = binding();
  const source = canUseRollup(query)
    ? rollupSource(query, bind)
    : hasExpired && canUseExpired(query)
      ? factAndExpiredRows
      : factRows;
  return { sql: sqlOf(withLinkKeys(query, keys), source, bind), parameters };
}

/** A filter on links whose numbers are known has them. */
type KeyedFilter = Filter & { keys?: readonly number[] };

/** The question with the numbers that are known of the links it names. */
export function withLinkKeys<Selection extends ClickSelection>(
  query: Selection,
  keys: KeysByLink | undefined,
): Selection {
  if (keys === undefined) return query;
  return { ...query, filters: query.filters.map((filter) => keyed(filter, keys)) };
}

function keyed(filter: Filter, known: KeysByLink): KeyedFilter {
  if (filter.dimension !== "linkId" || filter.isExcluded) return filter;
  const keys = filter.values.map((value) => known.get(value));
  return keys.every((all) => all !== undefined) ? { ...filter, keys: keys.flat() } : filter;
}

/** Where clicks are counted, under the name "facts". One that is `selected` holds those of the selection alone. */
type Source = { rows: string; clicks: string; isSelected?: boolean };

const sumOfClicks = `coalesce(sum(facts."clicks"), 0)::BIGINT`;

const factRows: Source = { rows: "facts", clicks: "count(*)" };
/** With those that were removed and only counted: all that is known of them are these columns. */
const factAndExpiredRows: Source = {
  rows: `(
SELECT "workspaceId", "time", "link", "bot", 1 AS "clicks" FROM facts
UNION ALL SELECT "workspaceId", "time", "link", "bot", "clicks" FROM totals
) AS facts`,
  clicks: sumOfClicks,
};

/** Whether totals can answer it: by links, domains, time and whether a bot clicked. */
function canUseExpired({ filters, grouping, metric = "clicks" }: ClickQuery): boolean {
  const named = filters.map(({ dimension }) => dimension);
  if (grouping.kind === "dimension") named.push(grouping.dimension, ...(grouping.within ?? []));
  if (grouping.kind === "labels") named.push(grouping.dimension);
  return (
    metric === "clicks" &&
    named.map(columnSourceOf).every((columnSource) => columnSource.kind === "dimension" && columnSource.name === "link")
  );
}

/** Parameters that grow as SQL is put together. */
export function binding(): { parameters: string[]; bind: Bind } {
  const parameters: string[] = [];
  const bind: Bind = (value) => {
    if (typeof value === "number") return digitsOf(value);
    // What is not known, which nearly every grouping leaves out.
    return value === "" ? "''" : `$${parameters.push(value)}`;
  };
  return { parameters, bind };
}

/**
 * A statement with parameters is planned twice, and numbers among them are fractions to DuckDB, which skips no facts by
 * them.
 */
function digitsOf(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is no whole number that DuckDB is asked about.`);
  return value < 0 ? `(${value})` : String(value);
}

function sqlOf(query: ClickQuery, source: Source, bind: Bind): string {
  const { grouping, metric = "clicks" } = query;
  if (grouping.kind === "dimension" || grouping.kind === "labels") {
    return metric === "clicks" ? countByKey(query, grouping, source, bind) : countByText(query, grouping, bind);
  }
  const select = `SELECT ${valueExpression(grouping, bind)} AS value, ${measures(metric, source)}`;
  const sql = `${select}\n${matching(query, source, bind)}`;
  return grouping.kind === "count" ? sql : inOrder(sql);
}

/** The number that a fact's row of the answer is keyed by. */
export function valueExpression(grouping: NumericGrouping, bind: Bind): string {
  switch (grouping.kind) {
    case "buckets":
      return bucketOf(grouping.starts, bind);
    case "weekHours": {
      const starts = grouping.offsets.map(({ from }) => from);
      const offset = bucketOf(starts, bind, (index) => bind(grouping.offsets[index]?.offsetMs ?? 0));
      // Three days, since 1970 began on a Thursday.
      return `(("time" + ${offset} + ${3 * dayMs}) // ${hourMs}) % 168`;
    }
    case "count":
      return "0";
    case "intervals":
      return `"time" // ${bind(grouping.intervalMs)}::BIGINT`;
  }
}

/** What was erased is taken away from slots by rows of its own, so that nothing may be left of one. */
function inOrder(sql: string): string {
  return `${sql}\nGROUP BY value\nHAVING clicks > 0\nORDER BY value`;
}

function matching(selection: ClickSelection, { rows, isSelected }: Source, bind: Bind): string {
  return isSelected ? `FROM ${rows}` : `FROM ${rows}\nWHERE ${conditions(selection, bind)}`;
}

/** Visitors who asked not to be told from others have no hash, and are not counted by it. */
export const countOfVisitors = `count(DISTINCT nullif("visitor", 0))`;

function measures(metric: Metric, { clicks }: Source): string {
  return metric === "clicks" ? `${clicks} AS clicks` : `${clicks} AS clicks, ${countOfVisitors} AS visitors`;
}

/** What rows of `facts` must fulfil to be of a selection; the numbers of withLinkKeys are used. */
export function conditions(selection: ClickSelection, bind: Bind): string {
  return [
    `facts."workspaceId" = ${bind(selection.workspaceId)}`,
    `facts."time" >= ${bind(selection.from)}`,
    `facts."time" < ${bind(selection.to)}`,
    ...botCondition(selection.bots),
    ...selection.filters.map((filter) => filterCondition(filter, bind)),
  ].join("\n  AND ");
}

function botCondition(bots: ClickSelection["bots"]): string[] {
  if (bots === "include") return [];
  return [bots === "only" ? `facts."bot" <> 0` : `facts."bot" = 0`];
}

function filterCondition({ dimension, values, isExcluded, keys }: KeyedFilter, bind: Bind): string {
  if (keys !== undefined) return keys.length === 0 ? "false" : `facts."link" IN (${keys.map(bind).join(", ")})`;
  // No value is met by nothing: an empty list keeps none, and excluding nothing keeps all.
  if (values.length === 0) return isExcluded ? "true" : "false";
  const columnSource = columnSourceOf(dimension);
  if (columnSource.kind === "code") return codeCondition(columnSource.code, values, isExcluded);
  const { column, table } = dimensionTables[columnSource.name];
  const filter = { dimension, values, isExcluded };
  return `facts."${column}" IN (SELECT "number" FROM "${table}" WHERE ${textCondition(filter, bind)})`;
}

/** The same of a row of the dictionary itself; `values` are not empty. */
function textCondition({ dimension, values, isExcluded }: Filter, bind: Bind): string {
  const columnSource = columnSourceOf(dimension);
  if (columnSource.kind === "code") throw new Error(`${dimension} stands in no dictionary.`);
  const list = values.length > inlineValuesMax ? `SELECT ${unnested(values, bind)}` : values.map(bind).join(", ");
  return `${columnSource.expression} ${isExcluded ? "NOT IN" : "IN"} (${list})`;
}

function codeCondition(code: CodeName, values: readonly string[], isExcluded: boolean): string {
  const texts: readonly string[] = codes[code];
  const kept = texts.flatMap((text, number) => (values.includes(text) === isExcluded ? [] : [number]));
  return kept.length === 0 ? "false" : `facts."${code}" IN (${kept.join(", ")})`;
}

/** Texts as rows: one parameter of JSON, which DuckDB reads in a third of the time that a list of as many takes. */
export function unnested(texts: readonly string[], bind: Bind): string {
  return `unnest(from_json(${bind(JSON.stringify(texts))}, '["VARCHAR"]'))`;
}

/** Whether the quarters of an hour of a whole workspace answer it. */
function canUseRollup({ filters, grouping, metric = "clicks", from, to }: ClickQuery): boolean {
  const { first, end } = rollupBucketsWithin(from, to);
  return alignsWithRollup(grouping) && metric === "clicks" && filters.length === 0 && first < end;
}

/** Whether no border between two rows of a grouping cuts a quarter of an hour. */
function alignsWithRollup(grouping: Grouping): boolean {
  switch (grouping.kind) {
    case "intervals":
      return grouping.intervalMs % rollupBucketMs === 0;
    case "buckets":
      return grouping.starts.slice(1).every((start) => start % rollupBucketMs === 0);
    case "weekHours":
      // The first offset holds for all clicks before the second, wherever it begins.
      return grouping.offsets.every(
        ({ from, offsetMs }, index) => (index === 0 || from % rollupBucketMs === 0) && offsetMs % rollupBucketMs === 0,
      );
    case "count":
      return true;
    case "dimension":
    case "labels":
      return false;
  }
}

/** The numbers of the first slot of a stretch of time, and of the first behind it. */
function rollupBucketsWithin(from: number, to: number): { first: number; end: number } {
  return { first: Math.ceil(from / rollupBucketMs), end: Math.floor(to / rollupBucketMs) };
}

/**
 * The clicks of a whole workspace by its quarters of an hour; from facts only what is not in those: the fresh ones, and
 * the ends of a stretch of time that does not begin and end with a quarter.
 */
function rollupSource(query: ClickQuery, bind: Bind): Source {
  const { first, end } = rollupBucketsWithin(query.from, query.to);
  const single = (source: string, from: number, to: number) =>
    `SELECT "time", 1 FROM ${source} AS facts\nWHERE ${conditions({ ...query, from, to }, bind)}`;
  const ends = [
    { from: query.from, to: first * rollupBucketMs },
    { from: end * rollupBucketMs, to: query.to },
  ].filter(({ from, to }) => from < to);
  const inRollup = [
    `facts."workspaceId" = ${bind(query.workspaceId)}`,
    `"slot" >= ${bind(first)}`,
    `"slot" < ${bind(end)}`,
    ...botCondition(query.bots),
  ];
  const all = [
    `SELECT "slot" * ${rollupBucketMs}::BIGINT AS "time", "clicks" FROM slots AS facts\nWHERE ${inRollup.join("\n  AND ")}`,
    single("fresh", query.from, query.to),
    ...ends.map(({ from, to }) => single("shelved", from, to)),
  ];
  return { rows: `(\n${all.join("\nUNION ALL\n")}\n) AS facts`, clicks: sumOfClicks, isSelected: true };
}

/** Dictionaries, codes and texts of a grouping. */
type GroupKeys = {
  /** The dictionaries whose numbers are grouped by first, and the codes. */
  dimensions: DimensionName[];
  codes: CodeName[];
  /** The values, by the names they have in the answer. */
  selected: string[];
  names: string[];
  /** What the labels are joined by. */
  join: string[];
};

/** Groupings by texts, and those by numbers. */
export type TextGrouping = Extract<Grouping, { kind: "dimension" | "labels" }>;
export type NumericGrouping = Exclude<Grouping, TextGrouping>;

/** What the rows of a grouping are told apart by, where its numbers stand in `from`. */
export function groupKeysOf(grouping: TextGrouping, from: string, bind: Bind): GroupKeys {
  const dimensions = [grouping.dimension, ...(grouping.kind === "dimension" ? (grouping.within ?? []) : [])];
  const columnSources = dimensions.map(columnSourceOf);
  const names = dimensions.map((_, index) => (index === 0 ? "value" : `within${index}`));
  const expressions = columnSources.map((columnSource) =>
    columnSource.kind === "dimension"
      ? columnSource.expression
      : codeText(columnSource.code, `${from}."${columnSource.code}"`),
  );
  const usedDimensions = new Set(
    columnSources.flatMap((columnSource) => (columnSource.kind === "dimension" ? [columnSource.name] : [])),
  );
  const usedCodes = new Set(
    columnSources.flatMap((columnSource) => (columnSource.kind === "code" ? [columnSource.code] : [])),
  );
  const shared = { dimensions: [...usedDimensions], codes: [...usedCodes], names };
  if (grouping.kind === "dimension") {
    return { ...shared, selected: expressions.map((text, index) => `${text} AS ${names[index]}`), join: [] };
  }
  const values = grouping.labels.map(({ value }) => value);
  const labels = grouping.labels.map(({ label }) => label);
  const pairs = `(SELECT ${unnested(values, bind)} AS named, ${unnested(labels, bind)} AS label)`;
  return { ...shared, selected: ["label AS value"], join: [`JOIN ${pairs} ON ${expressions[0]} = named`] };
}

/**
 * Clicks are counted by number first and by text afterwards: a workspace's clicks have far fewer numbers. A filter on
 * texts that are joined anyway waits for them, but for links', which decide what is read at all.
 */
function countByKey(query: ClickQuery, grouping: TextGrouping, source: Source, bind: Bind): string {
  const { dimensions: used, codes: usedCodes, selected, names, join } = groupKeysOf(grouping, "counted", bind);
  const isLater = ({ dimension, values }: Filter) => {
    const columnSource = columnSourceOf(dimension);
    return (
      values.length > 0 &&
      columnSource.kind === "dimension" &&
      columnSource.name !== "link" &&
      used.includes(columnSource.name)
    );
  };
  const later = query.filters.filter(isLater).map((filter) => textCondition(filter, bind));
  const sooner = { ...query, filters: query.filters.filter((filter) => !isLater(filter)) };
  const columns = [...used.map((name) => dimensionTables[name].column), ...usedCodes]
    .map((column) => `"${column}"`)
    .join(", ");
  return [
    `SELECT ${selected.join(", ")}, sum(counted.clicks)::BIGINT AS clicks`,
    "FROM (",
    `SELECT ${columns}, ${source.clicks} AS clicks`,
    matching(sooner, source, bind),
    `GROUP BY ${columns}`,
    ") AS counted",
    ...used.map((name) => joinDimension(name, "counted")),
    ...join,
    ...(later.length === 0 ? [] : [`WHERE ${later.join("\n  AND ")}`]),
    `GROUP BY ${names.join(", ")}`,
    `ORDER BY clicks DESC, ${names.join(", ")}`,
    `LIMIT ${bind(grouping.rowsMax)}`,
  ].join("\n");
}

/**
 * Visitors cannot be added up, so the texts are joined to each click: for no more clicks than visitor-parts.ts says.
 */
function countByText(query: ClickQuery, grouping: TextGrouping, bind: Bind): string {
  const { dimensions: used, selected, names, join } = groupKeysOf(grouping, "facts", bind);
  return [
    `SELECT ${selected.join(", ")}, ${measures("visitors", factRows)}`,
    "FROM facts",
    ...used.map((name) => joinDimension(name)),
    ...join,
    `WHERE ${conditions(query, bind)}`,
    `GROUP BY ${names.join(", ")}`,
    `ORDER BY visitors DESC, clicks DESC, ${names.join(", ")}`,
    `LIMIT ${bind(grouping.rowsMax)}`,
  ].join("\n");
}

/**
 * What is shown for the bucket a click belongs to, found by halving, so that 1,561 of them cost 11 comparisons.
 * Clicks that lie beside each other in the store mostly belong to one bucket and take the same way.
 */
export function bucketOf(starts: readonly number[], bind: Bind, shown: (index: number) => string = String): string {
  function among(low: number, high: number): string {
    if (low >= high) return shown(low);
    const middle = Math.ceil((low + high) / 2);
    const start = bind(starts[middle] ?? 0);
    return `CASE WHEN "time" < ${start} THEN ${among(low, middle - 1)} ELSE ${among(middle, high)} END`;
  }
  return among(0, starts.length - 1);
}
