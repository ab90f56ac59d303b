/**
 * The folder of a move of clicks between the file in the data folder and ClickHouse. It exists while a move is not
 * complete, or the service still stores clicks where they were moved from.
 *
 * 1. A move to ClickHouse copies the store into `ID.duckdb` while the service runs; ID is the id of the move. From
 *    then on nothing is deleted from the spools and nothing removed from the store, so that ClickHouse gets every later
 *    click from the spools. `complete` says that all clicks are in ClickHouse.
 * 2. A move back fills `back.duckdb` while no service runs, which then becomes the store.
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "./config.ts";
import { dataPaths } from "./data-paths.ts";

type MoveConfig = Pick<Config, "WAYPOST_DATA">;

const copySuffix = ".duckdb";

/** The paths of a move. */
export function movePaths(config: MoveConfig) {
  const { clickMove: folder } = dataPaths(config);
  return {
    folder,
    complete: join(folder, "complete"),
    back: join(folder, `back${copySuffix}`),
    /** The copy while it is written. */
    unfinished: join(folder, "copy.unfinished"),
    copy: (moveId: string) => join(folder, `${moveId}${copySuffix}`),
  };
}

/** True from the beginning of a move until its end, or until the service uses the store that the clicks were moved to. */
export function isMovingClicks(config: MoveConfig): boolean {
  return existsSync(movePaths(config).folder);
}

/** The id of the move whose copy of the store is written; undefined for none. */
export function copiedMoveId(config: MoveConfig): string | undefined {
  if (!isMovingClicks(config)) return undefined;
  const { folder, back } = movePaths(config);
  const name = readdirSync(folder).find((found) => found.endsWith(copySuffix) && join(folder, found) !== back);
  return name?.slice(0, -copySuffix.length);
}

/** Ends a move, whether it is complete or not. Its folder disappears as a whole, also in a crash. */
export function removeMove(config: MoveConfig): void {
  if (!isMovingClicks(config)) return;
  const { folder } = movePaths(config);
  const ended = `${folder}.ended`;
  rmSync(ended, { recursive: true, force: true });
  renameSync(folder, ended);
  rmSync(ended, { recursive: true, force: true });
}

/**
 * Checks at the start of the service that its store is the one that has all clicks. Returns "complete" when the clicks were
 * moved to ClickHouse, "moving" while they are moved there, and "none" otherwise.
 * Throws ConfigError when another store has them, or a part of them.
 */
export function moveAtStart(config: Config): "complete" | "moving" | "none" {
  const { complete, back } = movePaths(config);
  if (config.WAYPOST_CLICKS_URL === undefined) {
    if (!isMovingClicks(config)) return "none";
    if (existsSync(back)) throw new ConfigError(unfinishedBack);
    return "moving";
  }
  if (existsSync(complete)) return "complete";
  const { clicks } = dataPaths(config);
  if (existsSync(clicks)) throw new ConfigError(unmoved(clicks));
  // The clicks of this start would be missing in the file, so a move back begins again.
  removeMove(config);
  return "none";
}

const unfinishedBack =
  "WAYPOST_CLICKS_URL: it must be set, because not all clicks were moved back from ClickHouse. Run waypost migrate --to-clicks duckdb again first.";

function unmoved(clicks: string): string {
  return (
    `WAYPOST_CLICKS_URL: not all clicks of ${clicks} were moved to ClickHouse. Start without this option and run waypost migrate ` +
    "--to-clicks to its end. To begin without these clicks, move the file away."
  );
}
