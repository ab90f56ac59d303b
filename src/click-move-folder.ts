/**
 * The folders of a move of clicks between the file in the data folder and ClickHouse. Neither engine can change together with
 * the relational database, so each move has three steps, and every start goes on with the last two.
 *
 * 1. The command fills the target. To ClickHouse: the running service copies the store into `clicks.move/`. From then on
 *    nothing is deleted from the spools and nothing removed from the store, so that ClickHouse gets every later click from
 *    the spools. Back: no service runs, and `clicks.move-back/back.duckdb` is filled.
 * 2. `complete` says that the target has all clicks, and names both stores. The relational database takes the target
 *    (click-moves/hand-over.ts).
 * 3. The file is set aside or put in its place, and the folder of the move is removed.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { syncFolder } from "./base/sync-folder.ts";
import type { Config } from "./config.ts";
import { dataPaths } from "./data-paths.ts";

type MoveConfig = Pick<Config, "WAYPOST_DATA">;

/** A complete copy of the store for a move: the rows of each table. */
const CopiedStore = z.strictObject({ moveId: z.string(), rows: z.record(z.string(), z.int().min(0)) });
export type CopiedStore = z.output<typeof CopiedStore>;

/** A move whose target has all clicks: the ids of both stores, and the cursors that the target needs. */
const CompleteMove = z.strictObject({
  moveId: z.string(),
  from: z.string(),
  to: z.string(),
  cursors: z.record(z.string(), z.int().min(0)),
});
export type CompleteMove = z.output<typeof CompleteMove>;

/** The paths of a move to ClickHouse. */
export function movePaths(config: MoveConfig) {
  const { clickMove: folder } = dataPaths(config);
  return {
    folder,
    copy: join(folder, "copy.duckdb"),
    /** Written when the copy is complete. */
    copied: join(folder, "copied"),
    complete: join(folder, "complete"),
  };
}

/** The paths of a move back. */
export function backPaths(config: MoveConfig) {
  const { clickMoveBack: folder } = dataPaths(config);
  return { folder, complete: join(folder, "complete"), file: join(folder, "back.duckdb") };
}

/** True from the beginning of a move to ClickHouse until the service uses it, or the move is ended. */
export function isMovingClicks(config: MoveConfig): boolean {
  return existsSync(movePaths(config).folder);
}

/** Reads what a move has copied; undefined before its copy is complete. */
export function readCopied(config: MoveConfig): CopiedStore | undefined {
  return readState(movePaths(config).copied, CopiedStore);
}

/** Says that the copy of a move is complete. */
export function writeCopied(config: MoveConfig, copied: CopiedStore): void {
  writeState(movePaths(config).copied, copied);
}

/** Reads the file `complete` of a move; undefined for none. */
export function readComplete(path: string): CompleteMove | undefined {
  return readState(path, CompleteMove);
}

/** Writes the file `complete` of a move. Throws ENOENT when the move was ended. */
export function writeComplete(path: string, move: CompleteMove): void {
  writeState(path, move);
}

function readState<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> | undefined {
  return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, "utf8"))) : undefined;
}

/** Whole or not at all, also when the power fails. */
function writeState(path: string, state: CopiedStore | CompleteMove): void {
  const unfinished = `${path}.unfinished`;
  const file = openSync(unfinished, "w", 0o600);
  try {
    writeFileSync(file, JSON.stringify(state));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncFolder(dirname(path));
}

/** Removes the folder of a move. A crash ends the move before or after; removeEndedMoves then removes what is left. */
export function removeMove(folder: string): void {
  if (!existsSync(folder)) return;
  rmSync(endedFolder(folder), { recursive: true, force: true });
  renameSync(folder, endedFolder(folder));
  rmSync(endedFolder(folder), { recursive: true, force: true });
}

/** Removes copies of clicks that a killed removeMove has left: erased clicks would stay in them. */
export function removeEndedMoves(config: MoveConfig): void {
  for (const { folder } of [movePaths(config), backPaths(config)]) {
    rmSync(endedFolder(folder), { recursive: true, force: true });
  }
}

function endedFolder(folder: string): string {
  return `${folder}.ended`;
}
