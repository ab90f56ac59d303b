import { mkdirSync, renameSync, rmSync } from "node:fs";
import type { App } from "../app.ts";
import { requireSpaceForCopies } from "../base/disk-space.ts";
import { Problem } from "../base/problem.ts";
import { syncFolder } from "../base/sync-folder.ts";
import { copiedMoveId, movePaths, removeMove } from "../click-move-folder.ts";
import { copyTimeMaxMs } from "../clicks/store-copy.ts";
import { dataPaths } from "../data-paths.ts";

/** The copy that is being written. The lock of the data folder keeps other processes out. */
let copying: Promise<{ moveId: string }> | undefined;

type MoveDeps = Pick<App, "config" | "pipeline" | "readersLock" | "removalsLock">;

/**
 * Begins a move of clicks to ClickHouse: from now on the spools keep all clicks, and the store is copied. Returns the id of
 * the move; that of an earlier move whose copy is complete.
 * Throws "conflict" when the clicks are in ClickHouse already, and "unavailable" when the disk has too little space.
 */
export async function beginClickMove(app: MoveDeps): Promise<{ moveId: string }> {
  const { config } = app;
  if (config.WAYPOST_CLICKS_URL !== undefined) throw new Problem("conflict", "The clicks are in ClickHouse already.");
  const known = copiedMoveId(config);
  if (known !== undefined) return { moveId: known };
  copying ??= copyStore(app).finally(() => {
    copying = undefined;
  });
  return await copying;
}

async function copyStore({ config, pipeline, readersLock, removalsLock }: MoveDeps): Promise<{ moveId: string }> {
  const { folder, unfinished, copy } = movePaths(config);
  const { data, clicks } = dataPaths(config);
  await requireSpaceForCopies(data, [clicks], "A move of clicks");
  try {
    // Alone, so that no removal and no deletion of segments that began before continues, and no backup copies the store.
    await removalsLock.exclusive(async () => {
      await readersLock.exclusive(async () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      rmSync(unfinished, { force: true });
      const { written } = await pipeline.copyTo(unfinished, AbortSignal.timeout(copyTimeMaxMs));
      await written;
    });
    const moveId = crypto.randomUUID();
    renameSync(unfinished, copy(moveId));
    syncFolder(folder);
    return { moveId };
  } catch (error) {
    removeMove(config);
    throw error;
  }
}
