/**
 * Compiles plans (plan-query.ts) to SQL for ClickHouse, over the tables of schema.ts. Pure; tests compare the SQL with
 * golden files.
 */
import { dayMs, hourMs } from "../../../base/time.ts";
import type { ClickQuery, ClickSelection, Dimension, Filter } from "../../query.ts";
import { dimensionsOf, planQuery, type TextKeys, type TimeKeys, type TimeRange } from "../plan-query.ts";
import type { BatchSnapshot } from "./batch-log.ts";
import type { Expiry } from "./expiries.ts";
import { hourMilliseconds, inWholeUnits, type ProjectedPeriod, projectedPeriod } from "./projections.ts";
import { type Bind, binding, instant, millisecondsOf, type Statement } from "./sql.ts";
import { collectedVisitors, differentCollected, differentVisitors, visitorArraysOf } from "./visitor-arrays.ts";

/** Compiles a query. `expiry` is the state of the workspace's expiries. */
export function compileQuery(query: ClickQuery, expiry: Expiry): Statement {
  const { parameters, bind } = binding();
  const { selection, source, keys, measures } = planQuery(query, { hasExpired: expiry.generation > 0 });
  const stored = storedSources(selection, projectedPeriod(query, expiry), expiry, bind);
  const sources = source.kind === "clicksAndExpired" ? [...stored, expiredSource(selection, expiry, bind)] : stored;
  const measured = { sources, visitorArrays: measures.length === 1 ? undefined : visitorArraysOf(keys) };
  const sql = keys.kind === "time" ? countByTime(keys.by, measured, bind) : countByText(keys.by, measured, bind);
  return { sql, parameters };
}

/** Rows that are counted: clicks, or counts of expired ones. `time` is SQL for the milliseconds of a row's time. */
type Source = { from: string; count: string; time: string };

/** What is counted: rows, and the number of arrays for the visitors of a group, if the query asks for visitors. */
type Measured = { sources: readonly Source[]; visitorArrays: number | undefined };

/** The stored clicks of a query: all as rows, or the whole units of a period and the rows of its edges. */
function storedSources(
  selection: ClickSelection,
  period: ProjectedPeriod | undefined,
  expiry: Expiry,
  bind: Bind,
): Source[] {
  const rowsOf = (range: TimeRange): Source => {
    const from = `FROM clicks\nWHERE ${conditions({ ...selection, ...range }, expiry, bind)}`;
    return { from, count: "count()", time: millisecondsOf("time") };
  };
  if (period === undefined) return [rowsOf(selection)];
  return [wholeUnits(selection, period, bind), ...period.edges.map(rowsOf)];
}

function expiredSource(selection: ClickSelection, expiry: Expiry, bind: Bind): Source {
  const from = `FROM expired_clicks FINAL\nWHERE ${expiredConditions(selection, expiry, bind)}`;
  return { from, count: "sum(clicks)", time: millisecondsOf("time") };
}

/** The whole units of a period, whose conditions are those of the keys of a projection. */
function wholeUnits(selection: ClickSelection, period: ProjectedPeriod, bind: Bind): Source {
  const all = [
    `workspaceId = ${bind("UInt32", selection.workspaceId)}`,
    ...inWholeUnits(period, bind),
    ...chosen(selection, bind),
  ];
  return {
    from: `FROM clicks\nWHERE ${all.join("\n  AND ")}`,
    count: "count()",
    time: period.unit === "hour" ? hourMilliseconds : millisecondsOf("time"),
  };
}

/** SQL for counts by a key: the columns, and the rows or counts to read them from. */
type Counts = { key: string; columns: readonly string[]; from: string };

/** Counts rows by the key that `keyOf` returns for their time. Counts of several sources are added up. */
function countBy(name: string, keyOf: (time: string) => string, { sources, visitorArrays }: Measured): Counts {
  const [first, ...others] = sources;
  const visitors = visitorArrays === undefined ? [] : [`${differentVisitors(visitorArrays)} AS visitors`];
  if (first !== undefined && others.length === 0) {
    return { key: keyOf(first.time), columns: [`${first.count} AS clicks`, ...visitors], from: first.from };
  }
  const all = sources.map(
    ({ from, count, time }) => `SELECT ${keyOf(time)} AS ${name}, ${count} AS number\n${from}\nGROUP BY ${name}`,
  );
  return { key: name, columns: ["sum(number) AS clicks"], from: `FROM (\n${all.join("\nUNION ALL\n")}\n)` };
}

function countByTime(keys: TimeKeys, measured: Measured, bind: Bind): string {
  if (keys.kind === "count") {
    const { columns, from } = countBy("value", () => "0", measured);
    return `SELECT ${["0 AS value", ...columns].join(", ")}\n${from}`;
  }
  const { keyOf, valueFrom } = timeKey(keys, bind);
  const { key, columns, from } = countBy("timeKey", keyOf, measured);
  return [
    `SELECT ${[`${valueFrom(key)} AS value`, ...columns].join(", ")}`,
    from,
    `GROUP BY ${key}`,
    "ORDER BY value",
  ].join("\n");
}

/** SQL that gives a key its name. */
function named(key: string, name: string): string {
  return key === name ? name : `${key} AS ${name}`;
}

/** SQL for a key that is computed from the time of a click, in milliseconds, and for the value of a group with a key. */
type TimeKey = { keyOf(time: string): string; valueFrom(key: string): string };

function timeKey(keys: Exclude<TimeKeys, { kind: "count" }>, bind: Bind): TimeKey {
  const itself = (key: string) => key;
  switch (keys.kind) {
    case "intervals": {
      const interval = bind("Int64", keys.intervalMs);
      return { keyOf: (time) => `intDiv(${time}, ${interval})`, valueFrom: itself };
    }
    case "buckets": {
      const starts = bind("Array(Int64)", keys.starts);
      return {
        // It raises earlier times to the first start.
        keyOf: (time) => `roundDown(${time}, ${starts})`,
        // The last of equal starts. The search for its index would take longer than all else for each click.
        valueFrom: (start) => `length(${starts}) - indexOf(arrayReverse(${starts}), ${start})`,
      };
    }
    case "weekHours": {
      const starts = bind(
        "Array(Int64)",
        keys.offsets.map(({ from }) => from),
      );
      const offsets = bind(
        "Array(Int64)",
        keys.offsets.map(({ offsetMs }) => offsetMs),
      );
      const offset = (time: string) => `transform(roundDown(${time}, ${starts}), ${starts}, ${offsets}, 0)`;
      // 1970 began on a Thursday: with three days more, hour 0 of the 168 hours of a week is Monday's first.
      return {
        keyOf: (time) => `intDiv(${time} + ${offset(time)} + ${3 * dayMs}, ${hourMs}) % 168`,
        valueFrom: itself,
      };
    }
  }
}

function countByText(keys: TextKeys, measured: Measured, bind: Bind): string {
  const texts = dimensionsOf(keys).map(textOf);
  const largest = measured.visitorArrays === undefined ? "clicks DESC" : "visitors DESC, clicks DESC";
  const end = (order: string) => `ORDER BY ${largest}, ${order}\nLIMIT ${bind("UInt64", keys.rowsMax)}`;
  const [text = ""] = texts;
  if (keys.kind === "labels") return countByLabel(keys, text, measured, { bind, end: end("value") });
  if (texts.length === 1) {
    const { key, columns, from } = countBy("value", () => text, measured);
    return [`SELECT ${named(key, "value")}, ${columns.join(", ")}`, from, "GROUP BY value", end("value")].join("\n");
  }
  // Grouping by one joined text takes half the processor time of grouping by three. No name contains the separator.
  const joined = `concat(${texts.join(", '\\0', ")})`;
  const { key, columns, from } = countBy("names", () => joined, measured);
  const parts = ["value", "within1", "within2"].slice(0, texts.length);
  const selected = parts.map((name, index) => `splitByChar('\\0', names)[${index + 1}] AS ${name}`);
  return [
    ...(key === "names" ? [] : [`WITH ${key} AS names`]),
    `SELECT ${[...selected, ...columns].join(", ")}`,
    from,
    "GROUP BY names",
    end("names"),
  ].join("\n");
}

/** A value may have several labels, so its clicks are joined with all of them. */
function countByLabel(
  { labels }: Extract<TextKeys, { kind: "labels" }>,
  text: string,
  { sources, visitorArrays }: Measured,
  { bind, end }: { bind: Bind; end: string },
): string {
  const pairs = [labels.map(({ value }) => value), labels.map(({ label }) => label)];
  const [values, names] = pairs.map((texts) => bind("Array(String)", texts));
  const [collected, visitors] =
    visitorArrays === undefined
      ? [[], []]
      : [
          [`${collectedVisitors(visitorArrays)} AS collected`],
          [`${differentCollected(visitorArrays, "collected")} AS visitors`],
        ];
  const rows = sources.map(
    ({ from, count }) =>
      `SELECT ${[`${text} AS named`, `${count} AS number`, ...collected].join(", ")}\n${from}\nGROUP BY named`,
  );
  return [
    `SELECT ${["label AS value", "sum(number) AS clicks", ...visitors].join(", ")}`,
    `FROM (\n${rows.join("\nUNION ALL\n")}\n) AS counted`,
    `INNER JOIN (`,
    `SELECT pair.1 AS named, pair.2 AS label FROM (SELECT arrayJoin(arrayZip(${values}, ${names})) AS pair)`,
    `) AS labelled USING (named)`,
    "GROUP BY value",
    end,
  ].join("\n");
}

/** SQL for the text of a dimension. */
function textOf(dimension: Dimension): string {
  return dimension === "baseUrl" ? "extract(url, '^[^?#]*')" : dimension;
}

/** SQL for the conditions on rows of `clicks`: the selection, without the clicks that have expired. */
export function conditions(selection: ClickSelection, { hidden }: Expiry, bind: Bind): string {
  return [...scope(selection, bind), ...notHidden(hidden, bind), ...chosen(selection, bind)].join("\n  AND ");
}

/** SQL for the conditions on texts of a click. */
function chosen({ bots, filters }: ClickSelection, bind: Bind): string[] {
  return [
    ...(bots === "include" ? [] : [bots === "only" ? "bot != ''" : "bot = ''"]),
    ...filters.map((filter) => filterCondition(filter, bind)),
  ];
}

/** SQL for the conditions that leave out clicks that have expired and wait to be deleted. */
export function notHidden(hidden: Expiry["hidden"], bind: Bind): string[] {
  return hidden.map(({ before, upTo }) => `NOT (time < ${instant(before, bind)} AND batch <= ${bind("UInt64", upTo)})`);
}

/** SQL for the conditions that select the batches of a snapshot. */
export function inSnapshot({ newest, open }: BatchSnapshot, bind: Bind): string[] {
  return [
    `batch <= ${bind("UInt64", newest)}`,
    ...(open.length === 0 ? [] : [`batch NOT IN ${bind("Array(UInt64)", open)}`]),
  ];
}

/** SQL for the conditions on rows of `expired_clicks`. */
function expiredConditions(selection: ClickSelection, { generation }: Expiry, bind: Bind): string {
  return [
    ...scope(selection, bind),
    ...(selection.bots === "include" ? [] : [selection.bots === "only" ? "isBot" : "NOT isBot"]),
    // An expiry that was interrupted has left rows of the next generation.
    `generation <= ${bind("UInt64", generation)}`,
    ...selection.filters.map((filter) => filterCondition(filter, bind)),
  ].join("\n  AND ");
}

function scope({ workspaceId, from, to }: ClickSelection, bind: Bind): string[] {
  return [
    `workspaceId = ${bind("UInt32", workspaceId)}`,
    `time >= ${instant(from, bind)}`,
    `time < ${instant(to, bind)}`,
  ];
}

function filterCondition({ dimension, values, isExcluded }: Filter, bind: Bind): string {
  // A filter on no values matches no click, and excluding no values matches all.
  if (values.length === 0) return isExcluded ? "true" : "false";
  return `${textOf(dimension)} ${isExcluded ? "NOT IN" : "IN"} ${bind("Array(String)", values)}`;
}
