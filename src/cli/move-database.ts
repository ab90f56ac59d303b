import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { freeDiskBytes } from "../base/disk-space.ts";
import { postgresUrl } from "../base/option-parsers.ts";
import { syncFolder } from "../base/sync-folder.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { type CopiedCounts, copyTables } from "../database/copy-tables.ts";
import { connect, type DatabaseLocation, type Db } from "../database/database.ts";
import { databaseBytes } from "../database/database-bytes.ts";
import { type MoveSnapshots, openMoveSnapshots } from "../database/move-snapshots.ts";
import { markMoved, movedAdvice, movedCopySetting, movedTo } from "../database/moved.ts";
import { openDatabaseForCopy } from "../database/open-database.ts";
import { openPostgresRows } from "../database/postgres-rows.ts";
import { readSetting } from "../database/settings.ts";
import { type LockedRows, lockSqliteRows, openSqliteRows } from "../database/sqlite-rows.ts";
import { copiedRow, type TableTarget } from "../database/table-rows.ts";
import { databaseLocation } from "../database-location.ts";
import { CliError } from "./cli-error.ts";
import { lockDataFolderAsOwner, stopFirstError } from "./data-folder.ts";
import { DatabaseError, explainFailure } from "./explain-failure.ts";
import { withDatabaseLock } from "./lock-database.ts";
import { showProgress } from "./move-progress.ts";
import { moveRunning } from "./move-running.ts";
import { lockFile, markMovedInto, openTarget } from "./move-target.ts";

const engineNames = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;
/** The SQLite file until its copy is complete. */
const unfinishedSuffix = ".unfinished";

/**
 * Copies the relational data into the database `to`, which is "sqlite" or a `postgres://` URL, and prints the rows by table as
 * one line of JSON. An interrupted copy goes on when it is called again. A service on SQLite may run: its changes are refused
 * from the last seconds of the copy until it is started on PostgreSQL. Returns whether it runs.
 * Throws CliError for a running service on PostgreSQL, for a target that holds other data, and when the tables differ at the end.
 */
export async function moveDatabase(to: string, config: Config): Promise<{ isRunning: boolean }> {
  const [from, target] = [databaseLocation(config), targetOf(to, config)];
  if (from.kind === target.kind) throw new CliError(`The service uses ${engineNames[from.kind]} already.`);
  const held = lockDataFolderAsOwner(config);
  if (held === undefined && from.kind !== "sqlite") throw stopFirstError(config, "the data moves back to SQLite");
  const isRunning = held === undefined;
  const snapshots = isRunning ? openSnapshots(config) : undefined;
  const url = from.kind === "postgres" ? from.url : target.kind === "postgres" ? target.url : undefined;
  const withUrl = { ...config, WAYPOST_DATABASE_URL: url };
  try {
    const counts = await withDatabaseLock(withUrl, () => move(from, target, snapshots), { alone: true });
    process.stdout.write(`${JSON.stringify({ to: target.kind, rows: counts })}\n`);
    process.stderr.write(isRunning ? restartStep : nextStep[target.kind]);
    return { isRunning };
  } catch (error) {
    const explained = explainFailure(error, withUrl);
    // The URL of the target is in the option of the command.
    if (target.kind === "postgres" && explained instanceof DatabaseError) {
      throw new CliError(`--to-database: ${explained.problem}`);
    }
    throw explained;
  } finally {
    snapshots?.remove();
    held?.release();
  }
}

function openSnapshots(config: Config): MoveSnapshots {
  const { sqlite, moveSnapshots } = dataPaths(config);
  const snapshots = openMoveSnapshots(sqlite, moveSnapshots);
  if (snapshots === undefined) throw new CliError("Another waypost migrate is moving this database.");
  return snapshots;
}

const nextStep = {
  postgres:
    "All tables are equal. Set WAYPOST_DATABASE_URL and start Waypost. Delete waypost.sqlite when it has proven itself.\n",
  sqlite: "All tables are equal. Remove WAYPOST_DATABASE_URL and start Waypost.\n",
} as const;

const restartStep =
  "All tables are equal. Restart Waypost with WAYPOST_DATABASE_URL now: until then it refuses changes. Delete waypost.sqlite when PostgreSQL has proven itself.\n";

function targetOf(to: string, config: Config): DatabaseLocation {
  if (to === "sqlite") return { kind: "sqlite", path: dataPaths(config).sqlite };
  try {
    return { kind: "postgres", url: postgresUrl(to) };
  } catch {
    throw new CliError("--to-database: it must be sqlite, or a postgres:// URL.");
  }
}

async function move(
  from: DatabaseLocation,
  to: DatabaseLocation,
  snapshots: MoveSnapshots | undefined,
): Promise<CopiedCounts> {
  if (from.kind === "sqlite" && !existsSync(from.path)) throw new CliError(`There is no database ${from.path}.`);
  // A running service has migrated its database, perhaps to another version.
  const source = snapshots === undefined ? await openDatabaseForCopy(from) : connect(from, "full");
  try {
    const already = await movedTo(source.db);
    if (already !== undefined) return await finishMoved(source.db, already, to);
    const requireUnmoved = () => refuseMovedSource(source.db);
    if (snapshots !== undefined && from.kind === "sqlite" && to.kind === "postgres") {
      return await moveRunning({ path: from.path, url: to.url, snapshots, requireUnmoved });
    }
    if (to.kind === "sqlite") await requireRoom(to.path, await databaseBytes(source));
    const rows: LockedRows =
      from.kind === "sqlite"
        ? lockFile(from.path, () => lockSqliteRows(from.path))
        : {
            ...(await openPostgresRows(from.url)),
            endMoved: (engine, copyId) => markMoved(source.db, engine, copyId),
          };
    try {
      return await copy(rows, to, nameOf(from));
    } finally {
      await rows.close();
    }
  } finally {
    await source.close();
  }
}

async function refuseMovedSource(db: Db): Promise<void> {
  const already = await movedTo(db);
  if (already !== undefined) throw new CliError(movedAdvice(already));
}

async function requireRoom(path: string, needed: number): Promise<void> {
  const folder = dirname(path);
  if ((await freeDiskBytes(folder)) > needed) return;
  throw new CliError(`${folder} needs ${Math.ceil(needed / 1e6).toLocaleString("en")} MB of free space.`);
}

async function copy(source: LockedRows, to: DatabaseLocation, name: string): Promise<CopiedCounts> {
  if (to.kind === "sqlite") await refuseOtherFile(to.path);
  const target = to.kind === "sqlite" ? await openFile(unfinishedPath(to.path), name) : await openTarget(to.url, name);
  try {
    const counts = await copyTables(source, target, { name, report: showProgress() });
    await markMovedInto(target, source, engineNames[to.kind]);
    await finish(target, to);
    return counts;
  } finally {
    if (to.kind === "postgres") await target.close().catch(() => {});
  }
}

/**
 * Ends a move that was interrupted after its source was marked as moved. Throws CliError unless `to` is the complete copy of
 * that move.
 */
async function finishMoved(db: Db, engine: string, to: DatabaseLocation): Promise<CopiedCounts> {
  const target = await openUnfinished(to);
  try {
    if (target === undefined) throw new CliError(movedAdvice(engine));
    const progress = await target.progress();
    // Without its progress, a file was finished, and not put in place.
    const isFinished = to.kind === "sqlite" && progress === undefined;
    const copyId = await readSetting(db, movedCopySetting);
    if (!isFinished && (copyId === undefined || progress?.get(copiedRow) !== copyId)) {
      throw new CliError(movedAdvice(engine));
    }
    const counts: CopiedCounts = {};
    for (const table of await target.tables()) counts[table.name] = await target.count(table);
    await finish(target, to);
    return counts;
  } finally {
    if (to.kind === "postgres") await target?.close().catch(() => {});
  }
}

async function openUnfinished(to: DatabaseLocation): Promise<TableTarget | undefined> {
  if (to.kind === "postgres") return await openPostgresRows(to.url);
  const path = unfinishedPath(to.path);
  return existsSync(path) ? openSqliteRows(path) : undefined;
}

async function finish(target: TableTarget, to: DatabaseLocation): Promise<void> {
  await target.finish();
  await target.close();
  if (to.kind === "sqlite") putInPlace(unfinishedPath(to.path), to.path);
}

function unfinishedPath(path: string): string {
  return `${path}${unfinishedSuffix}`;
}

async function openFile(path: string, name: string): Promise<TableTarget> {
  await (await openDatabaseForCopy({ kind: "sqlite", path })).close();
  const target = openSqliteRows(path);
  if ((await target.progress()) === undefined) await target.begin(name);
  return target;
}

/** A file whose data was moved may be replaced; any other may not. */
async function refuseOtherFile(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const present = await openDatabaseForCopy({ kind: "sqlite", path });
  try {
    if ((await movedTo(present.db)) !== undefined) return;
  } finally {
    await present.close();
  }
  throw new CliError(`${path} holds data that was not moved. Move the file away first.`);
}

function putInPlace(unfinished: string, path: string): void {
  for (const suffix of ["-wal", "-shm", "-commits"]) rmSync(`${path}${suffix}`, { force: true });
  renameSync(unfinished, path);
  for (const suffix of ["-wal", "-shm", "-commits"]) rmSync(`${unfinished}${suffix}`, { force: true });
  syncFolder(dirname(path));
}

/** Names a database without its password. */
function nameOf(location: DatabaseLocation): string {
  if (location.kind === "sqlite") return location.path;
  const { host, pathname } = new URL(location.url);
  return `${host}${pathname}`;
}
