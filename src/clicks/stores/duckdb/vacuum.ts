/**
 * Replaces the file with a copy without removed rows. DuckDB reuses the blocks of removed rows, but their bytes stay in
 * the file until then, and the file never shrinks.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { untilAborted } from "./abort.ts";
import { attach } from "./attach.ts";
import { dimensionTables, sqlNames, tables } from "./star-schema.ts";

/** SQL for the transaction that removes rows. */
export const markPendingVacuum = `INSERT INTO ${sqlNames.pendingVacuum} VALUES (now()::TIMESTAMP)`;

/** True when the file may still hold bytes of removed clicks. */
export async function isVacuumPending(connection: DuckDBConnection): Promise<boolean> {
  const result = await connection.runAndReadAll(`SELECT 1 FROM ${sqlNames.pendingVacuum} LIMIT 1`);
  return result.getRows().length > 0;
}

/**
 * Copies all live rows into a file beside the one at `path`. False when `signal` was aborted first. Leaves no copy in
 * that case, nor when it throws. Nothing may be written until it ends.
 */
export async function copyLiveRows(connection: DuckDBConnection, path: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  removePartialCopy(path);
  await connection.run("DETACH DATABASE IF EXISTS vacuumed");
  await attach(connection, copyOf(path), "vacuumed");
  let isWhole = false;
  try {
    isWhole = await copyTables(connection, signal);
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
    if (!isWhole) removePartialCopy(path);
  }
}

/** False when it was aborted before the last table was copied. */
async function copyTables(connection: DuckDBConnection, signal: AbortSignal): Promise<boolean> {
  try {
    for (const [name, shape] of Object.entries(tables)) {
      await connection.run(`CREATE TABLE vacuumed."${name}" ${shape}`);
      const copy = `INSERT INTO vacuumed."${name}" SELECT * FROM "${name}" ${inUse(name)}`;
      await untilAborted(connection, signal, () => connection.run(copy));
    }
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** SQL that skips dimension rows that no click uses: texts of removed clicks, such as a referrer's path. */
function inUse(table: string): string {
  const dimension = Object.values(dimensionTables).find((known) => known.table === table);
  if (dimension === undefined) return "";
  const expired = dimension.column === "link" ? ` UNION SELECT "link" FROM ${sqlNames.expiredRollup}` : "";
  return `WHERE "number" IN (SELECT DISTINCT "${dimension.column}" FROM facts${expired})`;
}

/** Replaces the closed file at `path` with the copy, atomically even if the process crashes. */
export function replaceWithCopy(path: string): void {
  renameSync(copyOf(path), path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Removes an incomplete copy that a crash has left. */
export function removePartialCopy(path: string): void {
  for (const suffix of ["", ".wal"]) rmSync(`${copyOf(path)}${suffix}`, { force: true });
}

function copyOf(path: string): string {
  return `${path}.rewritten`;
}
