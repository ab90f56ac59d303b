import { dayMs, hourMs } from "../../src/base/time.ts";
import type { ClickQuery, ClickSelection, Dimension, Filter, Grouping, Metric } from "../../src/clicks/query.ts";
import {
  type Bind,
  binding,
  bucketOf,
  type CompiledQuery,
  inlineValuesMax,
  unnested,
} from "../../src/clicks/stores/duckdb/sql.ts";

/** Compiles a query to SQL over one table that has a column for each field of a click. */
export function compileFlat(query: ClickQuery): CompiledQuery {
  const { parameters, bind } = binding();
  const where = conditions(query, bind);
  const metric = query.metric ?? "clicks";
  const { select, from = "clicks", rest } = groupingParts(query.grouping, metric, bind);
  const sql = [`SELECT ${select}, ${measures(metric)}`, `FROM ${from}`, `WHERE ${where}`, ...rest].join("\n");
  return { sql, parameters };
}

function conditions(selection: ClickSelection, bind: Bind): string {
  return [
    `"workspaceId" = ${bind(selection.workspaceId)}`,
    `"time" >= ${bind(selection.from)}`,
    `"time" < ${bind(selection.to)}`,
    ...botCondition(selection.bots),
    ...selection.filters.map((filter) => filterCondition(filter, bind)),
  ].join("\n  AND ");
}

function botCondition(bots: ClickSelection["bots"]): string[] {
  if (bots === "include") return [];
  return [bots === "only" ? `"bot" <> ''` : `"bot" = ''`];
}

function filterCondition({ dimension, values, isExcluded }: Filter, bind: Bind): string {
  // An empty list keeps no click, and excluding an empty list keeps all.
  if (values.length === 0) return isExcluded ? "true" : "false";
  const list = values.length > inlineValuesMax ? `SELECT ${unnested(values, bind)}` : values.map(bind).join(", ");
  return `${expressionOf(dimension)} ${isExcluded ? "NOT IN" : "IN"} (${list})`;
}

function expressionOf(dimension: Dimension): string {
  if (dimension === "baseUrl") return `split_part(split_part("url", '#', 1), '?', 1)`;
  return `"${dimension}"`;
}

/** Visitors who opted out of tracking have no hash, and are not counted. */
function measures(metric: Metric): string {
  return metric === "visitors" ? 'count(*) AS clicks, count(DISTINCT "visitor") AS visitors' : "count(*) AS clicks";
}

type Parts = { select: string; from?: string; rest: string[] };

function groupingParts(grouping: Grouping, metric: Metric, bind: Bind): Parts {
  const largestFirst = metric === "visitors" ? "visitors DESC, clicks DESC" : "clicks DESC";
  switch (grouping.kind) {
    case "count":
      return { select: "0 AS value", rest: [] };
    case "intervals":
      return {
        select: `"time" // ${bind(grouping.intervalMs)}::BIGINT AS value`,
        rest: ["GROUP BY value", "ORDER BY value"],
      };
    case "buckets":
      return {
        select: `${bucketOf(grouping.starts, bind)} AS value`,
        rest: ["GROUP BY value", "ORDER BY value"],
      };
    case "weekHours": {
      const starts = grouping.offsets.map(({ from }) => from);
      const offset = bucketOf(starts, bind, (index) => bind(grouping.offsets[index]?.offsetMs ?? 0));
      // Three days, because 1970 began on a Thursday.
      return {
        select: `(("time" + ${offset} + ${3 * dayMs}) // ${hourMs}) % 168 AS value`,
        rest: ["GROUP BY value", "ORDER BY value"],
      };
    }
    case "dimension": {
      const within = (grouping.within ?? []).map(expressionOf);
      const names = ["value", ...within.map((_, index) => `within${index + 1}`)];
      return {
        select: [expressionOf(grouping.dimension), ...within]
          .map((column, index) => `${column} AS ${names[index]}`)
          .join(", "),
        rest: [
          `GROUP BY ${names.join(", ")}`,
          `ORDER BY ${largestFirst}, ${names.join(", ")}`,
          `LIMIT ${bind(grouping.rowsMax)}`,
        ],
      };
    }
    case "labels": {
      const values = grouping.labels.map(({ value }) => value);
      const labels = grouping.labels.map(({ label }) => label);
      const pairs = `(SELECT ${unnested(values, bind)} AS named, ${unnested(labels, bind)} AS label)`;
      return {
        select: "label AS value",
        from: `clicks JOIN ${pairs} ON ${expressionOf(grouping.dimension)} = named`,
        rest: ["GROUP BY value", `ORDER BY ${largestFirst}, value`, `LIMIT ${bind(grouping.rowsMax)}`],
      };
    }
  }
}
