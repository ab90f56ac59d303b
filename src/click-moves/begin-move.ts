import { mkdirSync, rmSync } from "node:fs";
import { freeBytesMin, requireSpaceForCopies } from "../base/disk-space.ts";
import { Problem } from "../base/problem.ts";
import type { ReadWriteLock } from "../base/read-write-lock.ts";
import { movePaths, readCopied, removeMove, writeCopied } from "../click-move-folder.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { copyTimeMaxMs } from "../clicks/store-copy.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";

type MoveDeps = {
  config: Config;
  pipeline: Pick<Pipeline, "copyTo">;
  storeLosses: { check(): Promise<void>; readonly current: readonly unknown[] };
  readersLock: ReadWriteLock;
  removalsLock: ReadWriteLock;
};

/** The copy that is being written. The lock of the data folder keeps other processes out. */
let copying: Promise<void> | undefined;

/**
 * Begins a move of clicks to ClickHouse: from now on the spools keep all clicks, and the store is copied, unless an earlier
 * move has a complete copy.
 * Throws "conflict" when the clicks are in ClickHouse already, the relational data is not in PostgreSQL, or stored clicks are
 * missing; and "unavailable" when the disk has too little space.
 */
export async function beginClickMove(deps: MoveDeps): Promise<Record<string, never>> {
  const { config, storeLosses } = deps;
  if (config.WAYPOST_CLICKS_URL !== undefined) throw new Problem("conflict", "The clicks are in ClickHouse already.");
  if (config.WAYPOST_DATABASE_URL === undefined) {
    throw new Problem(
      "conflict",
      "The running service has its relational data in SQLite, and ClickHouse needs PostgreSQL.",
    );
  }
  // It also has the database know the store, by which the command recognizes the database.
  await storeLosses.check();
  if (storeLosses.current.length > 0) {
    throw new Problem("conflict", "Stored clicks are missing. Restore them, or run waypost clicks accept-loss first.");
  }
  if (readCopied(config) === undefined) {
    copying ??= copyStore(deps).finally(() => {
      copying = undefined;
    });
    await copying;
  }
  return {};
}

async function copyStore({ config, pipeline, readersLock, removalsLock }: MoveDeps): Promise<void> {
  const { folder, copy } = movePaths(config);
  const { data, clicks } = dataPaths(config);
  // With less space left, the spools would end the move at once.
  requireSpaceForCopies(data, [clicks], "A move of clicks", 2 * freeBytesMin);
  try {
    // Alone, so that no removal and no deletion of segments that began before continues, and no backup copies the store.
    await removalsLock.exclusive(async () => {
      await readersLock.exclusive(async () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      for (const left of [copy, `${copy}.wal`]) rmSync(left, { force: true });
      const { written } = await pipeline.copyTo(copy, AbortSignal.timeout(copyTimeMaxMs));
      const { rows } = await written;
      writeCopied(config, { moveId: crypto.randomUUID(), rows });
    });
  } catch (error) {
    removeMove(folder);
    throw error;
  }
}
