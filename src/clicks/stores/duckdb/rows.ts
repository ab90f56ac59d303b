import type { DuckDBValue } from "@duckdb/node-api";
import type { Click } from "../../click.ts";
import type { ClickRow } from "../../query.ts";

/** A row as DuckDB returns it, by column name. */
export type Row = Record<string, DuckDBValue>;

/** A row of a query's answer. The columns are those of compile-query.ts. */
export function clickRow({ value, clicks, visitors, within1, within2 }: Row): ClickRow {
  const within = [within1, within2].filter((wider) => typeof wider === "string");
  return {
    value: typeof value === "string" ? value : Number(value),
    ...(within.length === 0 ? {} : { within }),
    clicks: Number(clicks),
    ...(visitors === undefined ? {} : { visitors: Number(visitors) }),
  };
}

/** A flat row as a click. */
export function click(row: Row): Click {
  const { id, time, workspaceId, visitor, ...texts } = row;
  return {
    // The view has a column for each of the other fields. All are texts that came from a Click.
    ...(texts as Omit<Click, "id" | "time" | "workspaceId" | "visitor">),
    id: String(id),
    time: Number(time),
    workspaceId: Number(workspaceId),
    visitor: typeof visitor === "bigint" ? visitor.toString(16).padStart(16, "0") : "",
  };
}
