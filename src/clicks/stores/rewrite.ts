/**
 * A new file in place of the old one, without what was removed from it: DuckDB frees the blocks of removed rows for
 * others, but leaves the bytes in them, and the file as long as it is.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { tables } from "./facts.ts";

/** SQL to run in the transaction that removes something. */
export const leaveBytes = "INSERT INTO leftovers VALUES (now()::TIMESTAMP)";

/** Whether the file may hold bytes of what was removed. */
export async function hasLeftovers(connection: DuckDBConnection): Promise<boolean> {
  const result = await connection.runAndReadAll("SELECT 1 FROM leftovers LIMIT 1");
  return result.getRows().length > 0;
}

/** Copies all that is kept into a file beside the one at `path`. Nothing may be written meanwhile. */
export async function copyWithoutLeftovers(connection: DuckDBConnection, path: string): Promise<void> {
  removeUnfinished(path);
  await connection.run(`ATTACH '${copyOf(path).replaceAll("'", "''")}' AS rewritten`);
  try {
    for (const [name, shape] of Object.entries(tables)) {
      await connection.run(`CREATE TABLE rewritten."${name}" ${shape}`);
      await connection.run(`INSERT INTO rewritten."${name}" SELECT * FROM "${name}"`);
    }
  } finally {
    // Which writes and syncs it.
    await connection.run("DETACH rewritten");
  }
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
export function removeUnfinished(path: string): void {
  for (const ending of ["", ".wal"]) rmSync(`${copyOf(path)}${ending}`, { force: true });
}

function copyOf(path: string): string {
  return `${path}.rewritten`;
}
