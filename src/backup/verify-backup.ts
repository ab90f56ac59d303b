import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../base/message-of.ts";
import { Problem } from "../base/problem.ts";
import { inspectStoreCopy } from "../clicks/stores/open-click-store.ts";
import { copyNames } from "../database/copying-thread.ts";
import { tableFile } from "../database/postgres-copy.ts";
import { inspectSqliteCopy } from "../database/sqlite-copy.ts";
import type { TableCounts } from "../database/table-counts.ts";
import { bytesOf, type Manifest, storeName } from "./archive-format.ts";
import { DamagedBackup, extractArchive } from "./read-archive.ts";
import { requireReadable } from "./require-readable.ts";
import { type RestoreObserver, requireRoom } from "./restore-backup.ts";

/**
 * Checks every checksum of an archive, opens both of its databases in a temporary folder, and compares their rows with
 * the manifest, which it returns. Throws DamagedBackup, and "conflict" for a backup of a newer version,
 * and "unavailable" without a temporary folder.
 */
export async function verifyBackup(
  archive: AsyncIterable<Uint8Array>,
  { onTotal, onWrite }: RestoreObserver,
): Promise<Manifest> {
  const folder = newFolder();
  try {
    const manifest = await extractArchive(archive, folder, {
      async onManifest(found) {
        requireReadable(found);
        await requireRoom(folder, found);
        onTotal(bytesOf(found));
      },
      onWrite,
    });
    await compare(folder, manifest);
    return manifest;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function newFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "waypost-verify-"));
  } catch (cause) {
    const message = `A backup is verified in ${tmpdir()}, which cannot be used (${messageOf(cause)}). Set TMPDIR to another folder.`;
    throw new Problem("unavailable", message, { cause });
  }
}

async function compare(folder: string, { database, store, spools }: Manifest): Promise<void> {
  const rows = await opened("The database", () => databaseRows(folder, database));
  requireSame("the database", rows, database.rows);
  const clicks = await opened("The click store", () => inspectStoreCopy(join(folder, storeName)));
  requireSame("the click store", { ...clicks.rows }, store.rows);
  requireSame("the click store's cursors", { ...clicks.cursors }, store.cursors);
  for (const { id, to } of spools) {
    if ((clicks.cursors[id] ?? 0) > to)
      throw new DamagedBackup(`The spool ${id} ends before the click store's cursor.`);
  }
}

async function databaseRows(folder: string, { engine, rows }: Manifest["database"]): Promise<TableCounts> {
  if (engine === "sqlite") return inspectSqliteCopy(join(folder, copyNames.sqlite)).rows;
  const counted: TableCounts = {};
  for (const table of Object.keys(rows)) {
    counted[table] = await countLines(tableFile(join(folder, copyNames.postgres), table));
  }
  return counted;
}

const newline = 0x0a;

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path)) for (const byte of chunk) if (byte === newline) lines++;
  return lines;
}

async function opened<Result>(what: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    throw new DamagedBackup(`${what} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

function requireSame(what: string, found: TableCounts, expected: TableCounts): void {
  const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
  const wrong = [...names].find((name) => found[name] !== expected[name]);
  if (wrong === undefined) return;
  throw new DamagedBackup(
    `In ${what}, ${wrong} has ${found[wrong] ?? "no"} rows, and the manifest says ${expected[wrong] ?? "none"}.`,
  );
}
