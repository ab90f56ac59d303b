import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * Rows of which DuckDB keeps the least and the greatest value of each column, and which it skips together: 15 of its
 * vectors. Of its usual 122,880, a question about one link reads as many in each sorted run, and takes 4.4 ms instead of
 * 1.7 among 32 million clicks; a click takes 20 bytes instead of 21.
 */
const rowGroupRows = 30_720;

/** Opens the file at `path`, made when absent, as a database of that name. */
export async function attach(connection: DuckDBConnection, path: string, name: string): Promise<void> {
  await connection.run(`ATTACH '${path.replaceAll("'", "''")}' AS "${name}" (ROW_GROUP_SIZE ${rowGroupRows})`);
}
