/**
 * Compiles plans (plan-query.ts) to SQL for ClickHouse, over the tables of schema.ts. Pure; tests compare the SQL with
 * golden files.
 */
import { dayMs, hourMs } from "../../../base/time.ts";
import type { ClickQuery, ClickSelection, Dimension, Filter } from "../../query.ts";
import { dimensionsOf, planQuery, type TextKeys, type TimeKeys } from "../plan-query.ts";
import type { BatchSnapshot } from "./batch-log.ts";
import type { Expiry } from "./expiries.ts";
import { linkColumns } from "./schema.ts";
import { type Bind, binding, instant, millisecondsOf, type Statement } from "./sql.ts";

/** Compiles a query. `expiry` is the state of the workspace's expiries. */
export function compileQuery(query: ClickQuery, expiry: Expiry): Statement {
  const { parameters, bind } = binding();
  const { selection, source, keys, measures } = planQuery(query, { hasExpired: expiry.generation > 0 });
  const rows =
    source.kind === "clicksAndExpired"
      ? storedAndExpired(selection, expiry, bind)
      : { sql: `clicks\nWHERE ${conditions(selection, expiry, bind)}`, count: "count()" };
  const counts = [
    `${rows.count} AS clicks`,
    // Visitors who opted out of tracking have the hash 0, which is not counted.
    ...(measures.length === 1 ? [] : ["uniqExactIf(visitor, visitor != 0) AS visitors"]),
  ];
  const sql =
    keys.kind === "time" ? countByTime(keys.by, counts, rows.sql, bind) : countByText(keys.by, counts, rows.sql, bind);
  return { sql, parameters };
}

type Rows = { sql: string; count: string };

/** The selected clicks, and what is left of expired ones. Only columns that both have. */
function storedAndExpired(selection: ClickSelection, expiry: Expiry, bind: Bind): Rows {
  const columns = ["time", ...linkColumns].join(", ");
  const all = [
    `SELECT ${columns}, 1 AS number FROM clicks\nWHERE ${conditions(selection, expiry, bind)}`,
    `SELECT ${columns}, clicks AS number FROM expired_clicks FINAL\nWHERE ${expiredConditions(selection, expiry, bind)}`,
  ];
  return { sql: `(\n${all.join("\nUNION ALL\n")}\n)`, count: "sum(number)" };
}

function countByTime(keys: TimeKeys, counts: readonly string[], rows: string, bind: Bind): string {
  if (keys.kind === "count") return `SELECT 0 AS value, ${counts.join(", ")}\nFROM ${rows}`;
  return `SELECT ${timeKey(keys, bind)} AS value, ${counts.join(", ")}\nFROM ${rows}\nGROUP BY value\nORDER BY value`;
}

/** SQL for a grouping key that is computed from the time of a click. */
function timeKey(keys: Exclude<TimeKeys, { kind: "count" }>, bind: Bind): string {
  const time = millisecondsOf("time");
  switch (keys.kind) {
    case "intervals":
      return `intDiv(${time}, ${bind("Int64", keys.intervalMs)})`;
    case "buckets": {
      const starts = bind("Array(Int64)", keys.starts);
      // The last of equal starts; roundDown searches in ascending order and raises earlier times to the first one.
      return `length(${starts}) - indexOf(arrayReverse(${starts}), roundDown(${time}, ${starts}))`;
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
      const offset = `transform(roundDown(${time}, ${starts}), ${starts}, ${offsets}, 0)`;
      // 1970 began on a Thursday: with three days more, hour 0 of the 168 hours of a week is Monday's first.
      return `intDiv(${time} + ${offset} + ${3 * dayMs}, ${hourMs}) % 168`;
    }
  }
}

function countByText(keys: TextKeys, counts: readonly string[], rows: string, bind: Bind): string {
  const texts = dimensionsOf(keys).map(textOf);
  const measured = counts.length === 1 ? "clicks DESC" : "visitors DESC, clicks DESC";
  const end = (order: string) => `ORDER BY ${measured}, ${order}\nLIMIT ${bind("UInt64", keys.rowsMax)}`;
  if (keys.kind === "dimension") {
    if (texts.length === 1) {
      const selected = [`${texts[0]} AS value`, ...counts].join(", ");
      return [`SELECT ${selected}`, `FROM ${rows}`, "GROUP BY value", end("value")].join("\n");
    }
    // Grouping by one joined text takes half the processor time of grouping by three. No name contains the separator.
    const names = ["value", "within1", "within2"].slice(0, texts.length);
    const selected = names.map((name, index) => `splitByChar('\\0', names)[${index + 1}] AS ${name}`);
    return [
      `WITH concat(${texts.join(", '\\0', ")}) AS names`,
      `SELECT ${[...selected, ...counts].join(", ")}`,
      `FROM ${rows}`,
      "GROUP BY names",
      end("names"),
    ].join("\n");
  }
  // A value may have several labels, so its clicks are joined with all of them.
  const values = bind(
    "Array(String)",
    keys.labels.map(({ value }) => value),
  );
  const labels = bind(
    "Array(String)",
    keys.labels.map(({ label }) => label),
  );
  const needed = counts.length === 1 ? [] : ["visitor"];
  const number = rows.startsWith("(") ? "number" : "1 AS number";
  return [
    `SELECT label AS value, ${["sum(number) AS clicks", ...counts.slice(1)].join(", ")}`,
    `FROM (\nSELECT ${[`${texts[0]} AS named`, number, ...needed].join(", ")}\nFROM ${rows}\n) AS counted`,
    `INNER JOIN (`,
    `SELECT pair.1 AS named, pair.2 AS label FROM (SELECT arrayJoin(arrayZip(${values}, ${labels})) AS pair)`,
    `) AS labelled USING (named)`,
    "GROUP BY value",
    end("value"),
  ].join("\n");
}

/** SQL for the text of a dimension. */
function textOf(dimension: Dimension): string {
  return dimension === "baseUrl" ? "extract(url, '^[^?#]*')" : dimension;
}

/** SQL for the conditions on rows of `clicks`: the selection, without the clicks that have expired. */
export function conditions(selection: ClickSelection, { hidden }: Expiry, bind: Bind): string {
  const isHuman = selection.bots === "only" ? "bot != ''" : "bot = ''";
  return [
    ...scope(selection, bind),
    ...(selection.bots === "include" ? [] : [isHuman]),
    ...notHidden(hidden, bind),
    ...selection.filters.map((filter) => filterCondition(filter, bind)),
  ].join("\n  AND ");
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
