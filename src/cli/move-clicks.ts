import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileLock, tryLockFile } from "../base/file-lock.ts";
import { messageOf } from "../base/message-of.ts";
import { clickHouseUrl } from "../base/option-parsers.ts";
import { syncFolder } from "../base/sync-folder.ts";
import { copiedMoveId, isMovingClicks, movePaths, removeMove } from "../click-move-folder.ts";
import { clickStoreSettings } from "../click-store-location.ts";
import { CountsDiffer, type MovedStore, moveClicks, TargetInUse } from "../clicks/move.ts";
import { type ClickStoreSettings, openClickStore } from "../clicks/stores/open-click-store.ts";
import { type Config, readConfig } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import type { Db } from "../database/database.ts";
import { openDatabase } from "../database/open-database.ts";
import { databaseLocation } from "../database-location.ts";
import { nodeId } from "../nodes/node-file.ts";
import { otherSpools } from "../nodes/other-spools.ts";
import { CliError } from "./cli-error.ts";
import { folderInUseError, lockDataFolderAsOwner, switchToFolderOwner } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";
import { withDatabaseLock } from "./lock-database.ts";
import { Progress } from "./progress.ts";
import { runOperations } from "./run-operation.ts";

const useEmpty =
  "Use an empty database in ClickHouse, and a PostgreSQL without cursors of ClickHouse: see docs/clickhouse.md.";

/** The value of --to-clicks that stands for the file in the data folder. */
const fileName = "duckdb";

/**
 * Moves the clicks to ClickHouse at a URL, also while the service runs, or back into a file ("duckdb") while none runs, and
 * prints the number of clicks as one line of JSON. An interrupted move goes on when it is called again.
 * Throws CliError for a target with other clicks, and when a count differs at the end.
 */
export async function moveClicksTo(to: string): Promise<void> {
  const config = readConfig();
  if (config.WAYPOST_DATABASE_URL === undefined) {
    throw new CliError(
      "--to-clicks: ClickHouse needs the relational data in PostgreSQL. Run waypost migrate --to-database first, and set WAYPOST_DATABASE_URL.",
    );
  }
  const lock = lockMove(config);
  try {
    if (to === fileName) await moveToFile(config);
    else await moveToClickHouse(config, targetUrl(to));
  } catch (error) {
    if (error instanceof TargetInUse) throw new CliError(`--to-clicks: ${error.message} ${useEmpty}`);
    if (error instanceof CountsDiffer) throw new CliError(`${error.message} The service still uses the old store.`);
    throw explainFailure(error, config);
  } finally {
    rmSync(`${dataPaths(config).clickMove}.exports`, { recursive: true, force: true });
    lock.release();
  }
}

/** Ends a move that is not complete, or whose target is not used yet. Prints one line of JSON. */
export function cancelMove(): void {
  const config = readConfig();
  const lock = lockMove(config);
  const wasMoving = isMovingClicks(config);
  removeMove(config);
  lock.release();
  process.stdout.write(`${JSON.stringify({ canceled: wasMoving })}\n`);
}

/** One move of a data folder at a time. */
function lockMove(config: Config): FileLock {
  const { data, clickMove } = dataPaths(config);
  if (!existsSync(data)) throw new CliError(`WAYPOST_DATA: there is no folder ${data}.`);
  switchToFolderOwner(config);
  const lock = tryLockFile(`${clickMove}.lock`);
  if (lock === undefined) throw new CliError("Another waypost migrate moves the clicks of this data folder.");
  return lock;
}

function targetUrl(to: string): string {
  try {
    return clickHouseUrl(to);
  } catch (error) {
    throw new CliError(
      `--to-clicks: it must be ${fileName}, or the URL of a database in ClickHouse: ${messageOf(error)}.`,
    );
  }
}

async function moveToClickHouse(config: Config, url: string): Promise<void> {
  if (config.WAYPOST_CLICKS_URL !== undefined)
    throw new CliError("The clicks of this service are in ClickHouse already.");
  const { folder, complete, copy } = movePaths(config);
  if (existsSync(complete)) throw new CliError(`The clicks were moved already. ${useClickHouse}`);
  // A wrong address fails here, before anything is copied.
  const target = await openClickStore(settingsFor({ ...config, WAYPOST_CLICKS_URL: url }));
  try {
    await target.storeId().catch((error: unknown) => {
      throw new CliError(`--to-clicks: ClickHouse at ${new URL(url).host} cannot be used: ${messageOf(error)}`);
    });
    if (copiedMoveId(config) === undefined) process.stderr.write("Copying the click store.\n");
    await runOperations((run) => run("begin click move", {}));
    const moveId = copiedMoveId(config);
    if (moveId === undefined) throw new CliError("The move was canceled.");
    const source = await openClickStore({ engine: "duckdb", path: copy(moveId), threads: 1 });
    let clicks: number;
    try {
      clicks = await moveClicks(source, target, { moveId, ...showProgress() });
    } finally {
      await source.close();
    }
    if (copiedMoveId(config) !== moveId) {
      throw new CliError("The move was canceled, or its spool was filling up. Use an empty database and move again.");
    }
    writeFileSync(complete, "");
    syncFolder(folder);
    rmSync(copy(moveId), { force: true });
    process.stdout.write(`${JSON.stringify({ to: "clickhouse", clicks })}\n`);
    process.stderr.write(`All counts are equal. ${useClickHouse}\n`);
  } finally {
    await target.close();
  }
}

const useClickHouse =
  "Set WAYPOST_CLICKS_URL and restart Waypost, which then stores the clicks since the copy from its spool.";

/** The running service has the usual folder of exports. */
function settingsFor(config: Config): ClickStoreSettings {
  const settings = clickStoreSettings(config);
  const { clickMove } = dataPaths(config);
  return settings.engine === "duckdb" ? settings : { ...settings, exportsFolder: `${clickMove}.exports` };
}

async function moveToFile(config: Config): Promise<void> {
  if (config.WAYPOST_CLICKS_URL === undefined) throw new CliError("The clicks of this service are in a file already.");
  const { clicks: path } = dataPaths(config);
  if (existsSync(path)) throw new CliError(`${path} exists. Move the file away first.`);
  const held = lockDataFolderAsOwner(config);
  if (held === undefined) throw folderInUseError(config);
  try {
    await withDatabaseLock(config, () => moveBack(config, path), { alone: true });
  } finally {
    held.release();
  }
}

async function moveBack(config: Config, path: string): Promise<void> {
  const { folder, back } = movePaths(config);
  const database = await openDatabase(databaseLocation(config));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const source = await openClickStore(settingsFor(config));
  const target = await openClickStore({ engine: "duckdb", path: back, threads: 1 });
  try {
    await requireStored(config, database.db);
    const clicks = await moveClicks(source, target, { moveId: await contentsId(source), ...showProgress() });
    const storeId = await target.storeId();
    await target.close();
    await database.db.deleteFrom("clickStores").execute();
    await database.db.insertInto("clickStores").values({ storeId }).execute();
    renameSync(back, path);
    syncFolder(dataPaths(config).data);
    removeMove(config);
    process.stdout.write(`${JSON.stringify({ to: fileName, clicks })}\n`);
    process.stderr.write(
      "All counts are equal. Remove WAYPOST_CLICKS_URL and start one Waypost, on this data folder.\n",
    );
  } finally {
    await target.close().catch(() => {});
    await source.close();
    await database.close();
  }
}

/** The clicks of other nodes that wait in their spools would be missing. */
async function requireStored(config: Config, db: Db): Promise<void> {
  const unread = (await otherSpools(db, nodeId(dataPaths(config).node))).find(({ end, stored }) => stored < end);
  if (unread === undefined) return;
  throw new CliError(
    `Clicks in the spool ${unread.spoolId} of another node are not stored yet. Start that node until they are, or adopt or abandon its spool (waypost spool).`,
  );
}

/** Identifies the contents of a store, so that a move of other contents begins from the start. */
async function contentsId({ move }: MovedStore): Promise<string> {
  await move.settle();
  const contents = JSON.stringify([await move.countDays(), await move.cursors()]);
  return createHash("sha256").update(contents).digest("hex").slice(0, 32);
}

function showProgress() {
  let progress: Progress | undefined;
  let comparing: Progress | undefined;
  return {
    onClicks(moved: number, total: number) {
      progress ??= new Progress("clicks", total);
      if (total > 0) progress.advance(moved);
    },
    onCompared(workspaces: number, total: number) {
      if (comparing === undefined) {
        process.stderr.write("Comparing all counts.\n");
        comparing = new Progress("workspaces compared", total);
      }
      if (total > 0) comparing.advance(workspaces);
    },
  };
}
