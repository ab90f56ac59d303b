import { existsSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "../base/log.ts";
import { messageOf } from "../base/message-of.ts";
import { syncFolder } from "../base/sync-folder.ts";
import {
  backPaths,
  type CompleteMove,
  movePaths,
  readComplete,
  removeEndedMoves,
  removeMove,
} from "../click-move-folder.ts";
import { clickStoreName, clickStoreSettings } from "../click-store-location.ts";
import { type Config, ConfigError } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import type { Db } from "../database/database.ts";
import { knownStoreId } from "../database/known-store.ts";
import { handOverToClickHouse, handOverToFile, hasMovedCursors, mayLackClicks } from "./hand-over.ts";

type ContinueDeps = { config: Config; db: Db; log: Pick<Log, "info"> };

/**
 * Goes on with a move of clicks when the data folder is opened, and checks that the store of the configuration has all clicks.
 * Can be repeated after a crash at any point. Throws ConfigError when another store has the clicks, or a part of them.
 */
export async function continueClickMove(deps: ContinueDeps): Promise<void> {
  removeEndedMoves(deps.config);
  if (deps.config.WAYPOST_CLICKS_URL === undefined) await continueWithFile(deps);
  else await continueWithClickHouse(deps);
}

async function continueWithFile(deps: ContinueDeps): Promise<void> {
  const { config, db } = deps;
  const { complete, folder } = backPaths(config);
  const back = readComplete(complete);
  if (back !== undefined) await putFileInPlace(deps, back);
  else if (existsSync(folder) && !existsSync(dataPaths(config).clicks)) throw new ConfigError(unfinishedBack);
  removeMove(folder);
  const moved = readComplete(movePaths(config).complete);
  if (moved !== undefined && (await knownStoreId(db)) === moved.to) throw new ConfigError(areInClickHouse);
}

const areInClickHouse = "WAYPOST_CLICKS_URL: it must be set, because the clicks were moved to ClickHouse.";
const unfinishedBack =
  "WAYPOST_CLICKS_URL: it must be set, because not all clicks were moved back from ClickHouse. Run waypost migrate --to-clicks duckdb again first.";

/** Ends a move back: the file becomes the store. Throws ConfigError when ClickHouse has stored other clicks since. */
export async function putFileInPlace(
  { config, db }: Pick<ContinueDeps, "config" | "db">,
  back: CompleteMove,
): Promise<void> {
  if (!(await handOverToFile(db, back))) throw new ConfigError(unfinishedBack);
  const { file, folder } = backPaths(config);
  const { clicks, data } = dataPaths(config);
  if (existsSync(file)) {
    if (existsSync(clicks))
      throw new ConfigError(`WAYPOST_DATA: ${clicks} and ${file} exist. Move the first one away.`);
    renameSync(file, clicks);
  }
  syncFolder(data);
  removeMove(folder);
}

async function continueWithClickHouse({ config, db, log }: ContinueDeps): Promise<void> {
  const { clicks } = dataPaths(config);
  const { complete, folder } = movePaths(config);
  const moved = readComplete(complete);
  if (moved === undefined && existsSync(clicks)) throw new ConfigError(unmoved(clicks));
  if (moved !== undefined || (await hasMovedCursors(db))) {
    const storeId = await storeIdOf(config);
    const name = clickStoreName(config);
    if (moved !== undefined && moved.to !== storeId) throw new ConfigError(movedElsewhere(name));
    if (moved !== undefined && !(await handOverToClickHouse(db, moved))) throw new ConfigError(unknownMove);
    if (moved === undefined && (await mayLackClicks(db, storeId))) throw new ConfigError(lacksClicks(name));
  }
  if (moved !== undefined) setAside(clicks, log);
  for (const left of [folder, backPaths(config).folder]) removeMove(left);
}

/** The write-ahead log first: without it, the file under its former name would lack clicks. */
function setAside(clicks: string, log: ContinueDeps["log"]): void {
  const kept = `${clicks}.moved`;
  if (existsSync(`${clicks}.wal`)) renameSync(`${clicks}.wal`, `${kept}.wal`);
  if (!existsSync(clicks)) return;
  renameSync(clicks, kept);
  syncFolder(dirname(clicks));
  log.info("The clicks are in ClickHouse now. Delete the file that they were in when ClickHouse has proven itself.", {
    kept,
  });
}

async function storeIdOf(config: Config): Promise<string> {
  // Loaded here, because the service itself opens no store.
  const { openClickStore } = await import("../clicks/stores/open-click-store.ts");
  const store = await openClickStore(clickStoreSettings(config));
  try {
    return await store.storeId();
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError(`WAYPOST_CLICKS_URL: ${clickStoreName(config)} must answer to end a move of clicks: ${why}`);
  } finally {
    await store.close();
  }
}

function unmoved(clicks: string): string {
  return (
    `WAYPOST_CLICKS_URL: not all clicks of ${clicks} were moved to ClickHouse. Start without this option and run waypost migrate ` +
    "--to-clicks to its end. To begin without these clicks, move the file away."
  );
}

function movedElsewhere(name: string): string {
  return `WAYPOST_CLICKS_URL: the clicks were moved to another database than ${name}. Use the URL that waypost migrate --to-clicks was run with.`;
}

const unknownMove =
  "WAYPOST_DATABASE_URL: this PostgreSQL does not know the move of clicks. Use the one that waypost migrate --to-clicks was run with.";

function lacksClicks(name: string): string {
  return (
    `WAYPOST_CLICKS_URL: ${name} does not have all clicks, because a move of clicks into it was not completed, or they were moved back. ` +
    "Start without this option and run waypost migrate --to-clicks to its end, or use an empty database."
  );
}
