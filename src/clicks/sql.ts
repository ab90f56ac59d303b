import type { ClickQuery, Filter, Grouping } from "./query.ts";

/** SQL with `$1`-style parameters; values never stand in the text. Columns come from a closed list of names. */
export type CompiledQuery = { sql: string; parameters: (string | number)[] };

/** Compiles a question to SQL for DuckDB. Pure; the texts are kept as golden files. */
export function compileQuery(query: ClickQuery): CompiledQuery {
  const parameters: (string | number)[] = [];
  const bind = (value: string | number): string => `$${parameters.push(value)}`;

  const conditions = [
    `"workspaceId" = ${bind(query.workspaceId)}`,
    `"time" >= ${bind(query.from)}`,
    `"time" < ${bind(query.to)}`,
    ...botCondition(query.bots),
    ...query.filters.map((filter) => filterCondition(filter, bind)),
  ];
  const { select, rest } = groupingParts(query.grouping, bind);
  const sql = [`SELECT ${select}`, "FROM clicks", `WHERE ${conditions.join("\n  AND ")}`, ...rest].join("\n");
  return { sql, parameters };
}

function botCondition(bots: ClickQuery["bots"]): string[] {
  if (bots === "include") return [];
  return [bots === "only" ? `"bot" <> ''` : `"bot" = ''`];
}

function filterCondition({ dimension, values, isExcluded }: Filter, bind: (value: string) => string): string {
  // No value is met by nothing: an empty list keeps none, and excluding nothing keeps all.
  if (values.length === 0) return isExcluded ? "true" : "false";
  return `"${dimension}" ${isExcluded ? "NOT IN" : "IN"} (${values.map(bind).join(", ")})`;
}

function groupingParts(grouping: Grouping, bind: (value: number) => string): { select: string; rest: string[] } {
  switch (grouping.kind) {
    case "count":
      return { select: "0 AS value, count(*) AS clicks", rest: [] };
    case "earliest":
      return { select: 'min("time") AS value, count(*) AS clicks', rest: ["HAVING count(*) > 0"] };
    case "slots":
      return {
        select: `"time" // ${bind(grouping.slotMs)}::BIGINT AS value, count(*) AS clicks`,
        rest: ["GROUP BY value", "ORDER BY value"],
      };
    case "dimension":
      return {
        select: `"${grouping.dimension}" AS value, count(*) AS clicks`,
        rest: ["GROUP BY value", "ORDER BY clicks DESC, value", `LIMIT ${bind(grouping.rowsMax)}`],
      };
  }
}
