/**
 * Copies the store into another file while clicks are inserted and queries run.
 *
 * 1. One transaction reads all tables, so the copy is the store of one moment: its clicks, its cursors and its rollups
 *    agree. The moment is when `copyStore` resolves; the rows follow.
 * 2. DuckDB writes full row groups of a new table to its file before the commit, so memory stays within the limit.
 * 3. Detaching writes and syncs the file. Until then, the file is incomplete.
 */
import { rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { CopyContents, StoreCopy, WrittenCopy } from "../../store-copy.ts";
import { attach } from "./attach.ts";
import { copyTables } from "./copy-tables.ts";
import { tables } from "./star-schema.ts";

/** The name under which the new file is attached. A store makes one copy at a time. */
const target = "copied";

/** Begins a copy into a new file at `path`. The connection belongs to the copy until `written` settles. */
export async function copyStore(connection: DuckDBConnection, path: string, signal: AbortSignal): Promise<StoreCopy> {
  signal.throwIfAborted();
  await connection.run(`DETACH DATABASE IF EXISTS ${target}`);
  await attach(connection, path, target);
  try {
    await connection.run("BEGIN TRANSACTION");
    // The first read fixes the snapshot.
    const result = await connection.runAndReadAll('SELECT "spoolId", "position" FROM cursors');
    return { cursors: cursorsOf(result.getRows()), written: writeCopy(connection, path, signal) };
  } catch (error) {
    await abandon(connection, path);
    throw error;
  }
}

async function writeCopy(connection: DuckDBConnection, path: string, signal: AbortSignal): Promise<WrittenCopy> {
  try {
    await copyTables(connection, target, signal);
    await connection.run("COMMIT");
    const rows = await countRows(connection, target);
    await connection.run(`DETACH ${target}`);
    return { bytes: (await stat(path)).size, rows };
  } catch (error) {
    await abandon(connection, path);
    throw error;
  }
}

/** Opens a copy, which is not changed, and counts its rows. Throws when DuckDB cannot read it. */
export async function inspectCopy(path: string): Promise<CopyContents> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH '${path.replaceAll("'", "''")}' AS ${target} (READ_ONLY)`);
    const cursors = await connection.runAndReadAll(`SELECT "spoolId", "position" FROM ${target}.cursors`);
    return { rows: await countRows(connection, target), cursors: cursorsOf(cursors.getRows()) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function cursorsOf(rows: readonly (readonly unknown[])[]): Record<string, number> {
  return Object.fromEntries(rows.map(([id, position]) => [String(id), Number(position)]));
}

async function countRows(connection: DuckDBConnection, database: string): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const name of Object.keys(tables)) {
    const [first] = (await connection.runAndReadAll(`SELECT count(*) FROM ${database}."${name}"`)).getRows();
    rows[name] = Number(first?.[0] ?? 0);
  }
  return rows;
}

async function abandon(connection: DuckDBConnection, path: string): Promise<void> {
  // The caller needs the first error. The next copy detaches again.
  await connection.run("ROLLBACK").catch(() => {});
  await connection.run(`DETACH DATABASE IF EXISTS ${target}`).catch(() => {});
  for (const suffix of ["", ".wal"]) rmSync(`${path}${suffix}`, { force: true });
}
