/**
 * Replaces the file with a copy without removed rows. DuckDB reuses the blocks of removed rows, but their bytes stay in
 * the file until then, and the file never shrinks.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { attach } from "./attach.ts";
import { copyTables } from "./copy-tables.ts";
import { newFileOf, removeNewFile } from "./new-file.ts";
import { sqlNames } from "./star-schema.ts";

/** SQL for the transaction that removes rows. */
export const markPendingVacuum = `INSERT INTO ${sqlNames.pendingVacuum} VALUES (now()::TIMESTAMP)`;

/** True when the file may still hold bytes of removed clicks. */
export async function isVacuumPending(connection: DuckDBConnection): Promise<boolean> {
  const result = await connection.runAndReadAll(`SELECT 1 FROM ${sqlNames.pendingVacuum} LIMIT 1`);
  return result.getRows().length > 0;
}

/**
 * Copies all live rows into the new file for the store at `path`. False when `signal` was aborted first. Leaves no copy in
 * that case, nor when it throws. Nothing may be written until it ends.
 */
export async function copyLiveRows(connection: DuckDBConnection, path: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  removeNewFile(path);
  await connection.run("DETACH DATABASE IF EXISTS vacuumed");
  await attach(connection, newFileOf(path), "vacuumed");
  let isWhole = false;
  try {
    isWhole = await copyUntilAborted(connection, signal);
    // DETACH writes and syncs the copy.
    await connection.run("DETACH vacuumed");
    return isWhole;
  } catch (error) {
    isWhole = false;
    // The caller needs the first error; the next copy detaches again.
    await connection.run("DETACH DATABASE IF EXISTS vacuumed").catch(() => {});
    throw error;
  } finally {
    // On a full disk, clicks need the space.
    if (!isWhole) removeNewFile(path);
  }
}

/** False when it was aborted before the last table was copied. */
async function copyUntilAborted(connection: DuckDBConnection, signal: AbortSignal): Promise<boolean> {
  try {
    await copyTables(connection, "vacuumed", signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
