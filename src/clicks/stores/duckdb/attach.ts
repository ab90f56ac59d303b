import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * The row group size: DuckDB keeps the minimum and maximum of each column per row group, and skips whole groups by
 * them. 15 vectors instead of the usual 60 make a query for one link among 32 million clicks take 1.7 ms instead of
 * 4.4; a click takes 21 bytes instead of 20.
 */
const rowGroupRows = 30_720;

/** Attaches the file at `path`, created when absent, as a database of that name. */
export async function attach(connection: DuckDBConnection, path: string, name: string): Promise<void> {
  await connection.run(`ATTACH '${path.replaceAll("'", "''")}' AS "${name}" (ROW_GROUP_SIZE ${rowGroupRows})`);
}
