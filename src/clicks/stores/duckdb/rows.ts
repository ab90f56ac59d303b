import type { DuckDBValue } from "@duckdb/node-api";
import type { Click } from "../../click.ts";

/** A row as DuckDB returns it, by column name. */
export type Row = Record<string, DuckDBValue>;

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
