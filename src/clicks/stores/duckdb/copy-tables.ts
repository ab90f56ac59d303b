import type { DuckDBConnection } from "@duckdb/node-api";
import { untilAborted } from "./abort.ts";
import { dimensionTables, sqlNames, tables } from "./star-schema.ts";

/**
 * Copies the live rows of every table into the attached, empty database `target`, without the texts that only removed
 * clicks used. Throws when `signal` is aborted.
 */
export async function copyTables(connection: DuckDBConnection, target: string, signal: AbortSignal): Promise<void> {
  for (const [name, shape] of Object.entries(tables)) {
    await connection.run(`CREATE TABLE "${target}"."${name}" ${shape}`);
    const copy = `INSERT INTO "${target}"."${name}" SELECT * FROM "${name}" ${inUse(name)}`;
    await untilAborted(connection, signal, () => connection.run(copy));
  }
  signal.throwIfAborted();
}

/** SQL that skips dimension rows that no click uses: texts of removed clicks, such as a referrer's path. */
function inUse(table: string): string {
  const dimension = Object.values(dimensionTables).find((known) => known.table === table);
  if (dimension === undefined) return "";
  const expired = dimension.column === "link" ? ` UNION SELECT "link" FROM ${sqlNames.expiredRollup}` : "";
  return `WHERE "number" IN (SELECT DISTINCT "${dimension.column}" FROM facts${expired})`;
}
