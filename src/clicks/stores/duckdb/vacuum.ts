/**
 * A new file in place of the old one, without what was removed from it: DuckDB frees the blocks of removed rows for
 * others, but leaves the bytes in them, and the file as long as it is.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { untilAborted } from "./abort.ts";
import { attach } from "./attach.ts";
import { dimensionTables, sqlNames, tables } from "./star-schema.ts";

/** SQL to run in the transaction that removes something. */
export const markPendingVacuum = `INSERT INTO ${sqlNames.pendingVacuum} VALUES (now()::TIMESTAMP)`;

/** Whether the file may hold bytes of what was removed. */
export async function isVacuumPending(connection: DuckDBConnection): Promise<boolean> {
  const result = await connection.runAndReadAll(`SELECT 1 FROM ${sqlNames.pendingVacuum} LIMIT 1`);
  return result.getRows().length > 0;
}

/**
 * Copies all that is kept into a file beside the one at `path`. False when `ending` was aborted first: then, and when it
 * throws, it leaves no copy. Nothing may be written meanwhile.
 */
export async function copyLiveRows(connection: DuckDBConnection, path: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  removePartialCopy(path);
  await connection.run("DETACH DATABASE IF EXISTS rewritten");
  await attach(connection, copyOf(path), "rewritten");
  let isWhole = false;
  try {
    isWhole = await copyTables(connection, signal);
    // Which writes and syncs it.
    await connection.run("DETACH rewritten");
    return isWhole;
  } catch (error) {
    isWhole = false;
    // The failure that led here is the one to tell; the next copy tries again.
    await connection.run("DETACH DATABASE IF EXISTS rewritten").catch(() => {});
    throw error;
  } finally {
    // On a full disk it would take the room that clicks need.
    if (!isWhole) removePartialCopy(path);
  }
}

/** False when it was ended before the last of them was copied. */
async function copyTables(connection: DuckDBConnection, signal: AbortSignal): Promise<boolean> {
  try {
    for (const [name, shape] of Object.entries(tables)) {
      await connection.run(`CREATE TABLE rewritten."${name}" ${shape}`);
      const copy = `INSERT INTO rewritten."${name}" SELECT * FROM "${name}" ${inUse(name)}`;
      await untilAborted(connection, signal, () => connection.run(copy));
    }
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** SQL that leaves out of a dictionary what no click has any more: its texts, such as a visitor's way to the link. */
function inUse(table: string): string {
  const dimension = Object.values(dimensionTables).find((known) => known.table === table);
  if (dimension === undefined) return "";
  const expired = dimension.column === "link" ? ` UNION SELECT "link" FROM ${sqlNames.expiredRollup}` : "";
  return `WHERE "number" IN (SELECT DISTINCT "${dimension.column}" FROM facts${expired})`;
}

/** Puts the copy in place of the closed file at `path`, in one step that a crash leaves done or not done. */
export function replaceWithCopy(path: string): void {
  renameSync(copyOf(path), path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Removes what a crash has left of a copy. */
export function removePartialCopy(path: string): void {
  for (const suffix of ["", ".wal"]) rmSync(`${copyOf(path)}${suffix}`, { force: true });
}

function copyOf(path: string): string {
  return `${path}.rewritten`;
}
