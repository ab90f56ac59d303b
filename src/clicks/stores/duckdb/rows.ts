import type { DuckDBValue } from "@duckdb/node-api";
import type { Click } from "../../click.ts";
import type { ClickRow } from "../../query.ts";

/** A row as DuckDB answers it, by the names of its columns. */
export type Row = Record<string, DuckDBValue>;

/** A row of an answer; the columns are those of duckdb-sql.ts. */
export function clickRow({ value, clicks, visitors, within1, within2 }: Row): ClickRow {
  const within = [within1, within2].filter((wider) => typeof wider === "string");
  return {
    value: typeof value === "string" ? value : Number(value),
    ...(within.length === 0 ? {} : { within }),
    clicks: Number(clicks),
    ...(visitors === undefined ? {} : { visitors: Number(visitors) }),
  };
}

/** A stored row as the click it was made of. */
export function click(row: Row): Click {
  const { id, time, workspaceId, visitor, ...texts } = row;
  return {
    // The table has a column for each of the other fields, all of them texts that append took from a Click.
    ...(texts as Omit<Click, "id" | "time" | "workspaceId" | "visitor">),
    id: String(id),
    time: Number(time),
    workspaceId: Number(workspaceId),
    visitor: typeof visitor === "bigint" ? visitor.toString(16).padStart(16, "0") : "",
  };
}
