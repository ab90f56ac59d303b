import { dayMs, hourMs } from "../../base/time.ts";
import type { ClickQuery, ClickSelection, Filter, Grouping, Metric } from "../query.ts";
import { type CodeName, codes, codeText, joinPart, type PartName, parts, slotMs, standOf } from "./facts.ts";
import type { NumbersByLink } from "./link-numbers.ts";

/** SQL with `$1`-style parameters; texts never stand in it themselves. Columns come from a closed list of names. */
export type CompiledQuery = { sql: string; parameters: (string | number)[] };

/** Answers how the SQL names a value: a text by a parameter that is added, a whole number by its digits, no text by ''. */
export type Bind = (value: string | number) => string;

/** Beyond so many values a filter is a join with a list: parsing and comparing one by one would take seconds. */
export const inlineValuesMax = 100;

/** What a statement may take for granted of a store: that it holds no totals, and which numbers links have. */
export type Holdings = { hasTotals: boolean; numbers?: NumbersByLink | undefined };

/** Compiles a question to SQL for DuckDB, over the tables of facts.ts. Pure; the texts are kept as golden files. */
export function compileQuery(query: ClickQuery, { hasTotals, numbers }: Holdings): CompiledQuery {
  const { parameters, bind } = binding();
  const source = isRolledUp(query) ? slotsOf(query, bind) : hasTotals && isAboutLinks(query) ? countedRows : factRows;
  return { sql: sqlOf(withNumbers(query, numbers), source, bind), parameters };
}

/** A filter on links whose numbers are known has them. */
type NumberedFilter = Filter & { numbers?: readonly number[] };

/** The question with the numbers that are known of the links it names. */
export function withNumbers<Selection extends ClickSelection>(
  query: Selection,
  numbers: NumbersByLink | undefined,
): Selection {
  if (numbers === undefined) return query;
  return { ...query, filters: query.filters.map((filter) => numbered(filter, numbers)) };
}

function numbered(filter: Filter, known: NumbersByLink): NumberedFilter {
  if (filter.dimension !== "linkId" || filter.isExcluded) return filter;
  const numbers = filter.values.map((value) => known.get(value));
  return numbers.every((all) => all !== undefined) ? { ...filter, numbers: numbers.flat() } : filter;
}

/** Where clicks are counted, under the name "facts". One that is `selected` holds those of the selection alone. */
type Source = { rows: string; clicks: string; isSelected?: boolean };

const sumOfClicks = `coalesce(sum(facts."clicks"), 0)::BIGINT`;

const factRows: Source = { rows: "facts", clicks: "count(*)" };
/** With those that were removed and only counted: all that is known of them are these columns. */
const countedRows: Source = {
  rows: `(
SELECT "workspaceId", "time", "link", "bot", 1 AS "clicks" FROM facts
UNION ALL SELECT "workspaceId", "time", "link", "bot", "clicks" FROM totals
) AS facts`,
  clicks: sumOfClicks,
};

/** Whether totals can answer it: by links, domains, time and whether a bot clicked. */
function isAboutLinks({ filters, grouping, metric = "clicks" }: ClickQuery): boolean {
  const named = filters.map(({ dimension }) => dimension);
  if (grouping.kind === "dimension") named.push(grouping.dimension, ...(grouping.within ?? []));
  if (grouping.kind === "labels") named.push(grouping.dimension);
  return metric === "clicks" && named.map(standOf).every((stand) => stand.kind === "part" && stand.part === "link");
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
    return metric === "clicks" ? countedByPart(query, grouping, source, bind) : countedByText(query, grouping, bind);
  }
  const select = `SELECT ${valueExpression(grouping, bind)} AS value, ${measures(metric, source)}`;
  const sql = `${select}\n${matching(query, source, bind)}`;
  return grouping.kind === "count" ? sql : inOrder(sql);
}

/** The number that a fact's row of the answer is keyed by. */
export function valueExpression(grouping: Numbered, bind: Bind): string {
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
    case "slots":
      return `"time" // ${bind(grouping.slotMs)}::BIGINT`;
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

/** What rows of `facts` must fulfil to be of a selection; the numbers of withNumbers are used. */
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

function filterCondition({ dimension, values, isExcluded, numbers }: NumberedFilter, bind: Bind): string {
  if (numbers !== undefined)
    return numbers.length === 0 ? "false" : `facts."link" IN (${numbers.map(bind).join(", ")})`;
  // No value is met by nothing: an empty list keeps none, and excluding nothing keeps all.
  if (values.length === 0) return isExcluded ? "true" : "false";
  const stand = standOf(dimension);
  if (stand.kind === "code") return codeCondition(stand.code, values, isExcluded);
  const { column, table } = parts[stand.part];
  const filter = { dimension, values, isExcluded };
  return `facts."${column}" IN (SELECT "number" FROM "${table}" WHERE ${textCondition(filter, bind)})`;
}

/** The same of a row of the dictionary itself; `values` are not empty. */
function textCondition({ dimension, values, isExcluded }: Filter, bind: Bind): string {
  const stand = standOf(dimension);
  if (stand.kind === "code") throw new Error(`${dimension} stands in no dictionary.`);
  const list = values.length > inlineValuesMax ? `SELECT ${unfolded(values, bind)}` : values.map(bind).join(", ");
  return `${stand.expression} ${isExcluded ? "NOT IN" : "IN"} (${list})`;
}

function codeCondition(code: CodeName, values: readonly string[], isExcluded: boolean): string {
  const texts: readonly string[] = codes[code];
  const kept = texts.flatMap((text, number) => (values.includes(text) === isExcluded ? [] : [number]));
  return kept.length === 0 ? "false" : `facts."${code}" IN (${kept.join(", ")})`;
}

/** Texts as rows: one parameter of JSON, which DuckDB reads in a third of the time that a list of as many takes. */
export function unfolded(texts: readonly string[], bind: Bind): string {
  return `unnest(from_json(${bind(JSON.stringify(texts))}, '["VARCHAR"]'))`;
}

/** Whether the quarters of an hour of a whole workspace answer it. */
function isRolledUp({ filters, grouping, metric = "clicks", from, to }: ClickQuery): boolean {
  const { first, end } = slotsWithin(from, to);
  return isOfSlots(grouping) && metric === "clicks" && filters.length === 0 && first < end;
}

/** Whether no border between two rows of a grouping cuts a quarter of an hour. */
function isOfSlots(grouping: Grouping): boolean {
  switch (grouping.kind) {
    case "slots":
      return grouping.slotMs % slotMs === 0;
    case "buckets":
      return grouping.starts.slice(1).every((start) => start % slotMs === 0);
    case "weekHours":
      // The first offset holds for all clicks before the second, wherever it begins.
      return grouping.offsets.every(
        ({ from, offsetMs }, index) => (index === 0 || from % slotMs === 0) && offsetMs % slotMs === 0,
      );
    case "count":
      return true;
    case "dimension":
    case "labels":
      return false;
  }
}

/** The numbers of the first slot of a stretch of time, and of the first behind it. */
function slotsWithin(from: number, to: number): { first: number; end: number } {
  return { first: Math.ceil(from / slotMs), end: Math.floor(to / slotMs) };
}

/**
 * The clicks of a whole workspace by its quarters of an hour; from facts only what is not in those: the fresh ones, and
 * the ends of a stretch of time that does not begin and end with a quarter.
 */
function slotsOf(query: ClickQuery, bind: Bind): Source {
  const { first, end } = slotsWithin(query.from, query.to);
  const single = (source: string, from: number, to: number) =>
    `SELECT "time", 1 FROM ${source} AS facts\nWHERE ${conditions({ ...query, from, to }, bind)}`;
  const ends = [
    { from: query.from, to: first * slotMs },
    { from: end * slotMs, to: query.to },
  ].filter(({ from, to }) => from < to);
  const ofSlots = [
    `facts."workspaceId" = ${bind(query.workspaceId)}`,
    `"slot" >= ${bind(first)}`,
    `"slot" < ${bind(end)}`,
    ...botCondition(query.bots),
  ];
  const all = [
    `SELECT "slot" * ${slotMs}::BIGINT AS "time", "clicks" FROM slots AS facts\nWHERE ${ofSlots.join("\n  AND ")}`,
    single("fresh", query.from, query.to),
    ...ends.map(({ from, to }) => single("shelved", from, to)),
  ];
  return { rows: `(\n${all.join("\nUNION ALL\n")}\n) AS facts`, clicks: sumOfClicks, isSelected: true };
}

/** Dictionaries, codes and texts of a grouping. */
type Keys = {
  /** The dictionaries whose numbers are grouped by first, and the codes. */
  parts: PartName[];
  codes: CodeName[];
  /** The values, by the names they have in the answer. */
  selected: string[];
  names: string[];
  /** What the labels are joined by. */
  join: string[];
};

/** Groupings by texts, and those by numbers. */
export type Grouped = Extract<Grouping, { kind: "dimension" | "labels" }>;
export type Numbered = Exclude<Grouping, Grouped>;

/** What the rows of a grouping are told apart by, where its numbers stand in `from`. */
export function keysOf(grouping: Grouped, from: string, bind: Bind): Keys {
  const dimensions = [grouping.dimension, ...(grouping.kind === "dimension" ? (grouping.within ?? []) : [])];
  const stands = dimensions.map(standOf);
  const names = dimensions.map((_, index) => (index === 0 ? "value" : `within${index}`));
  const expressions = stands.map((stand) =>
    stand.kind === "part" ? stand.expression : codeText(stand.code, `${from}."${stand.code}"`),
  );
  const usedParts = new Set(stands.flatMap((stand) => (stand.kind === "part" ? [stand.part] : [])));
  const usedCodes = new Set(stands.flatMap((stand) => (stand.kind === "code" ? [stand.code] : [])));
  const shared = { parts: [...usedParts], codes: [...usedCodes], names };
  if (grouping.kind === "dimension") {
    return { ...shared, selected: expressions.map((text, index) => `${text} AS ${names[index]}`), join: [] };
  }
  const values = grouping.labels.map(({ value }) => value);
  const labels = grouping.labels.map(({ label }) => label);
  const pairs = `(SELECT ${unfolded(values, bind)} AS named, ${unfolded(labels, bind)} AS label)`;
  return { ...shared, selected: ["label AS value"], join: [`JOIN ${pairs} ON ${expressions[0]} = named`] };
}

/**
 * Clicks are counted by number first and by text afterwards: a workspace's clicks have far fewer numbers. A filter on
 * texts that are joined anyway waits for them, but for links', which decide what is read at all.
 */
function countedByPart(query: ClickQuery, grouping: Grouped, source: Source, bind: Bind): string {
  const { parts: used, codes: usedCodes, selected, names, join } = keysOf(grouping, "counted", bind);
  const isLater = ({ dimension, values }: Filter) => {
    const stand = standOf(dimension);
    return values.length > 0 && stand.kind === "part" && stand.part !== "link" && used.includes(stand.part);
  };
  const later = query.filters.filter(isLater).map((filter) => textCondition(filter, bind));
  const sooner = { ...query, filters: query.filters.filter((filter) => !isLater(filter)) };
  const columns = [...used.map((name) => parts[name].column), ...usedCodes].map((column) => `"${column}"`).join(", ");
  return [
    `SELECT ${selected.join(", ")}, sum(counted.clicks)::BIGINT AS clicks`,
    "FROM (",
    `SELECT ${columns}, ${source.clicks} AS clicks`,
    matching(sooner, source, bind),
    `GROUP BY ${columns}`,
    ") AS counted",
    ...used.map((name) => joinPart(name, "counted")),
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
function countedByText(query: ClickQuery, grouping: Grouped, bind: Bind): string {
  const { parts: used, selected, names, join } = keysOf(grouping, "facts", bind);
  return [
    `SELECT ${selected.join(", ")}, ${measures("visitors", factRows)}`,
    "FROM facts",
    ...used.map((name) => joinPart(name)),
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
