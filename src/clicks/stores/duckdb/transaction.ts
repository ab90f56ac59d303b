import type { DuckDBConnection } from "@duckdb/node-api";

/** Runs work in a transaction, and rolls it back when the work throws. */
export async function inTransaction<Result>(
  connection: DuckDBConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  await connection.run("BEGIN TRANSACTION");
  try {
    const result = await work();
    await connection.run("COMMIT");
    return result;
  } catch (error) {
    await rollback(connection);
    throw error;
  }
}

/** Runs work on one snapshot, and rolls back its changes, such as temporary tables. */
export async function inSnapshot<Result>(connection: DuckDBConnection, work: () => Promise<Result>): Promise<Result> {
  await connection.run("BEGIN TRANSACTION");
  try {
    return await work();
  } finally {
    await rollback(connection);
  }
}

async function rollback(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run("ROLLBACK");
  } catch {
    // The caller needs the first error. If ROLLBACK fails, DuckDB has already ended the transaction.
  }
}
