import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { type FileLock, tryLockFile } from "../base/file-lock.ts";
import { messageOf } from "../base/message-of.ts";
import { clickHouseUrl } from "../base/option-parsers.ts";
import {
  backPaths,
  type CompleteMove,
  type CopiedStore,
  movePaths,
  readComplete,
  readCopied,
  removeMove,
  writeComplete,
} from "../click-move-folder.ts";
import { putFileInPlace } from "../click-moves/continue-move.ts";
import { handOverToFile, mayLackClicks } from "../click-moves/hand-over.ts";
import { clickStoreName, clickStoreSettings } from "../click-store-location.ts";
import { CountsDiffer, type MovedClicks, type MovedStore, moveClicks, TargetInUse } from "../clicks/move.ts";
import { withoutMoved } from "../clicks/moved-spools.ts";
import { type ClickStoreSettings, inspectStoreCopy, openClickStore } from "../clicks/stores/open-click-store.ts";
import { type Config, readConfig } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { connect, type Db } from "../database/database.ts";
import { knownStoreId } from "../database/known-store.ts";
import { databaseLocation } from "../database-location.ts";
import { sharedSecretProblem } from "../instance-secret.ts";
import { nodeId } from "../nodes/node-file.ts";
import { otherSpools, unstoppedNode } from "../nodes/other-spools.ts";
import { openServiceDatabase } from "../open-service-database.ts";
import { CliError } from "./cli-error.ts";
import { lockDataFolderAsOwner, stopFirstError, switchToFolderOwner } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";
import { withDatabaseLock } from "./lock-database.ts";
import { Progress } from "./progress.ts";
import { runOperations } from "./run-operation.ts";

const useEmpty =
  "Use an empty database in ClickHouse, and a PostgreSQL without cursors of ClickHouse: see docs/clickhouse.md.";

const moveAgain = "The service still uses the old store. Run waypost migrate --cancel, and move the clicks again.";

/** The value of --to-clicks that stands for the file in the data folder. */
const fileName = "duckdb";

/**
 * Moves the clicks to ClickHouse at a URL, also while the service runs, or back into a file ("duckdb") while none runs, and
 * prints the number of clicks as one line of JSON. An interrupted move goes on when it is called again.
 * Throws CliError for a target with other clicks, and when a count differs at the end.
 */
export async function moveClicksTo(to: string, config: Config): Promise<void> {
  if (config.WAYPOST_DATABASE_URL === undefined) {
    throw new CliError(
      "--to-clicks: ClickHouse needs the relational data in PostgreSQL. Run waypost migrate --to-database first, and set WAYPOST_DATABASE_URL.",
    );
  }
  const lock = lockMove(config);
  try {
    if (to === fileName) await moveToFile(config);
    else await moveToClickHouse(config, checkClicksTarget(to));
  } catch (error) {
    if (error instanceof TargetInUse) throw new CliError(`--to-clicks: ${error.message} ${useEmpty}`);
    if (error instanceof CountsDiffer) throw new CliError(`${error.message} ${moveAgain}`);
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
  try {
    const [there, back] = [movePaths(config), backPaths(config)];
    if (readComplete(back.complete) !== undefined) {
      throw new CliError(`The clicks were moved back already. ${useFile}`);
    }
    const wasMoving = existsSync(there.folder) || existsSync(back.folder);
    for (const { folder } of [there, back]) removeMove(folder);
    process.stdout.write(`${JSON.stringify({ canceled: wasMoving })}\n`);
  } finally {
    lock.release();
  }
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

/** Returns a target of --to-clicks: "duckdb", or the URL of a database in ClickHouse. Throws CliError for another text. */
export function checkClicksTarget(to: string): string {
  try {
    return to === fileName ? to : clickHouseUrl(to);
  } catch (error) {
    throw new CliError(
      `--to-clicks: it must be ${fileName}, or the URL of a database in ClickHouse: ${messageOf(error)}.`,
    );
  }
}

async function moveToClickHouse(config: Config, url: string): Promise<void> {
  if (config.WAYPOST_CLICKS_URL !== undefined)
    throw new CliError("The clicks of this service are in ClickHouse already.");
  const { complete, copy } = movePaths(config);
  if (existsSync(complete)) throw new CliError(`The clicks were moved already. ${useClickHouse}`);
  const { clicks: path } = dataPaths(config);
  // The next start sets the file aside under these names.
  requireAbsent(`${path}.moved`, `${path}.moved.wal`);
  // A wrong address fails here, before anything is copied.
  const target = await openClickStore(settingsFor({ ...config, WAYPOST_CLICKS_URL: url }));
  try {
    const to = await target.storeId().catch((error: unknown) => {
      throw new CliError(`--to-clicks: ClickHouse at ${new URL(url).host} cannot be used: ${messageOf(error)}`);
    });
    if (readCopied(config) === undefined) process.stderr.write("Copying the click store.\n");
    await runOperations((run) => run("begin click move", {}), config);
    const copied = readCopied(config);
    if (copied === undefined) throw new CliError(moveEnded);
    const { moveId } = copied;
    const { clicks, ...moved } = await sendCopy(config, copied, target);
    // The spools may have ended the move, which removes its folder.
    if (readCopied(config)?.moveId !== moveId) throw new CliError(moveEnded);
    writeComplete(complete, { moveId, to, ...moved });
    rmSync(copy, { force: true });
    process.stdout.write(`${JSON.stringify({ to: "clickhouse", clicks })}\n`);
    const secretProblem = sharedSecretProblem({ ...config, WAYPOST_CLICKS_URL: url });
    process.stderr.write(`All counts are equal. ${useClickHouse}\n${secretProblem ? `${secretProblem}.\n` : ""}`);
  } finally {
    await target.close();
  }
}

const moveEnded = "The move was canceled, or new clicks needed its space: see the log. Run this command again.";

/** Sends the copy to ClickHouse. Returns what it has moved, and the id of the store that was copied. */
async function sendCopy(
  config: Config,
  { moveId, rows }: CopiedStore,
  target: MovedStore,
): Promise<MovedClicks & Pick<CompleteMove, "from">> {
  const { copy } = movePaths(config);
  const found = (await inspectStoreCopy(copy)).rows;
  if (!Bun.deepEquals(found, rows)) {
    throw new CliError(`The copy of the click store is damaged. ${moveAgain}`);
  }
  const source = await openClickStore({ engine: "duckdb", path: copy, threads: 1 });
  try {
    const from = await source.storeId();
    await requireDatabaseOf(config, from);
    return { from, ...(await moveClicks(source, target, { moveId, ...showProgress() })) };
  } finally {
    await source.close();
  }
}

/** The database of this command knows the service's store only if it is the service's database. */
async function requireDatabaseOf(config: Config, storeId: string): Promise<void> {
  const database = connect(databaseLocation(config), "full");
  try {
    if ((await knownStoreId(database.db)) === storeId) return;
    throw new CliError("WAYPOST_DATABASE_URL: the running service uses another database. Use the same one.");
  } finally {
    await database.close();
  }
}

const useClickHouse =
  "Set WAYPOST_CLICKS_URL and restart Waypost, which then stores the clicks since the copy from its spool.";

function requireAbsent(...paths: string[]): void {
  const existing = paths.find((path) => existsSync(path));
  if (existing !== undefined) throw new CliError(`${existing} exists. Move the file away first.`);
}

/** The running service has the usual folder of exports. */
function settingsFor(config: Config): ClickStoreSettings {
  const settings = clickStoreSettings(config);
  const { clickMove } = dataPaths(config);
  return settings.engine === "duckdb" ? settings : { ...settings, exportsFolder: `${clickMove}.exports` };
}

async function moveToFile(config: Config): Promise<void> {
  if (config.WAYPOST_CLICKS_URL === undefined) throw new CliError("The clicks of this service are in a file already.");
  const { clicks } = dataPaths(config);
  requireAbsent(clicks, `${clicks}.wal`);
  const held = lockDataFolderAsOwner(config);
  if (held === undefined) throw stopFirstError(config, "the clicks move back to the file");
  try {
    await withDatabaseLock(config, () => moveBack(config), { alone: true });
  } finally {
    held.release();
  }
}

async function moveBack(config: Config): Promise<void> {
  const { complete } = backPaths(config);
  const database = await openServiceDatabase(config);
  const { db } = database;
  try {
    const already = readComplete(complete);
    if (already !== undefined && (await handOverToFile(db, already))) {
      await putFileInPlace({ config, db }, already);
      process.stderr.write(`${useFile}\n`);
      return;
    }
    await requireStored(config, db);
    const { clicks, ...moved } = await fillFile(config, db);
    writeComplete(complete, moved);
    await putFileInPlace({ config, db }, moved);
    process.stdout.write(`${JSON.stringify({ to: fileName, clicks })}\n`);
    process.stderr.write(`All counts are equal. ${useFile}\n`);
  } finally {
    await database.close();
  }
}

const useFile = "Remove WAYPOST_CLICKS_URL and start one Waypost, on this data folder.";

/** Fills the file with all clicks and cursors. What an interrupted move of the same clicks has stored there, stays. */
async function fillFile(config: Config, db: Db): Promise<CompleteMove & { clicks: number }> {
  const { folder, file } = backPaths(config);
  const source = await openClickStore(settingsFor(config));
  try {
    const from = await source.storeId();
    if (await mayLackClicks(db, from)) throw new CliError(`${clickStoreName(config)} does not have all clicks.`);
    const moveId = await contentsId(source);
    await removeFilledFile(folder, file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const target = await openClickStore({ engine: "duckdb", path: file, threads: 1 });
    try {
      const { clicks, cursors } = await moveClicks(source, target, { moveId, ...showProgress() });
      await target.move.replaceMoved(cursors);
      return { moveId, from, to: await target.storeId(), cursors, clicks };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Removes a file that has the cursors of its source, which may have other clicks since. */
async function removeFilledFile(folder: string, file: string): Promise<void> {
  if (!existsSync(file)) return;
  const { cursors } = await inspectStoreCopy(file);
  if (Object.keys(withoutMoved(cursors)).length > 0) removeMove(folder);
}

/** The clicks of other nodes that wait in their spools would be missing in the store, or on their links. */
async function requireStored(config: Config, db: Db): Promise<void> {
  const id = nodeId(dataPaths(config).node);
  const running = await unstoppedNode(db, id);
  if (running !== undefined) {
    throw new CliError(
      `The node ${running.id} on ${running.host} was not stopped in order, so clicks may be missing. Start and stop it, or adopt or abandon its spools (waypost spool).`,
    );
  }
  const unread = (await otherSpools(db, id)).find(({ end, stored, counted }) => Math.min(stored, counted) < end);
  if (unread === undefined) return;
  throw new CliError(
    `Clicks in the spool ${unread.spoolId} of another node are not stored and counted yet. Start that node until they are, or adopt or abandon its spool (waypost spool).`,
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
      progress.advance(moved);
    },
    onCompared(workspaces: number, total: number) {
      if (comparing === undefined) {
        process.stderr.write("Comparing all counts.\n");
        comparing = new Progress("workspaces compared", total);
      }
      comparing.advance(workspaces);
    },
  };
}
