import type { DuckDBConnection } from "@duckdb/node-api";

/** Runs work in a transaction of the connection, which takes back all of it when it throws. */
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

/** Runs work in a transaction whose changes, such as temporary tables, are taken back when it is over. */
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
    // The failure that led here is the one to tell; DuckDB has ended the transaction by itself when this one fails.
  }
}
