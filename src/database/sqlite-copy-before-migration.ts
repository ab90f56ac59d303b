/**
 * Copies of the SQLite file from before its migrations, beside it: the way back when a start fails in a migration.
 * PostgreSQL has its own tools.
 */
import { Database as SqliteFile } from "bun:sqlite";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { version } from "../../package.json";
import { fileBytes, freeBytesMin, freeDiskBytes } from "../base/disk-space.ts";
import { migrations } from "./migrations/migrations.ts";
import type { ReportMigration } from "./migrations/report-migration.ts";
import { copySqlite } from "./sqlite-copy.ts";

/** The newest copies stay. */
const copiesMax = 2;
/** A copy leaves at least this much free for clicks. */
const leftBytesMin = freeBytesMin / 8;

/**
 * Copies the SQLite file at `path`, without visitor salts, if this version is about to migrate it, and deletes all but
 * the newest copies. The name has this version and the last migration of the copy. Makes none, and says so, when the
 * disk has too little space. The caller has locked the data folder, and no connection is open.
 */
export async function copyBeforeMigration(path: string, report: ReportMigration): Promise<void> {
  const last = lastMigrationOf(path);
  const pending = Object.keys(migrations("sqlite")).filter((name) => last !== undefined && name > last);
  if (last === undefined || pending.length === 0) return;
  const progress = { done: 0, of: pending.length };
  const copy = `${path}${suffix}${version}-from-${last.slice(0, 4)}`;
  if (existsSync(copy)) return;
  const needed = fileBytes(path) + fileBytes(`${path}-wal`);
  const free = await freeDiskBytes(dirname(path));
  if (free - needed < leftBytesMin) {
    const [neededMb, freeMb] = [needed, free].map((bytes) => Math.ceil(bytes / 1e6).toLocaleString("en"));
    report(`The database is migrated without a copy: one needs ${neededMb} MB, and ${freeMb} MB are free.`, progress);
    return;
  }
  const part = `${copy}.part`;
  rmSync(part, { force: true });
  copySqlite(path, part);
  renameSync(part, copy);
  report(`The database is about to be migrated. ${copy} is a copy from before.`, progress);
  removeOlder(path);
}

const suffix = ".before-";

const Names = z.array(z.object({ name: z.string() }));

/** Undefined for a missing or new file, and for one that is no database, which the caller reports. */
function lastMigrationOf(path: string): string | undefined {
  if (fileBytes(path) === 0) return undefined;
  const file = new SqliteFile(path, { readwrite: true, create: false });
  try {
    const [found] = Names.parse(file.query("SELECT name FROM kysely_migration ORDER BY name DESC LIMIT 1").all());
    return found?.name;
  } catch {
    // Opening the database fails with a better message.
    return undefined;
  } finally {
    file.close();
  }
}

function removeOlder(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}${suffix}`;
  const copies = readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .sort((left, right) => right.at - left.at);
  for (const { name } of copies.slice(copiesMax)) rmSync(join(folder, name), { force: true });
}
