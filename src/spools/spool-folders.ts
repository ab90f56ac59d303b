import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileLock, lockFileWithin } from "../base/file-lock.ts";
import { syncFolder } from "../base/sync-folder.ts";
import { type LostClicks, mergeLosses, readLosses } from "../clicks/lost-clicks.ts";
import type { SpoolOptions } from "../clicks/spool.ts";
import type { Config } from "../config.ts";
import { dataPaths, workerSpoolIndexes, workerSpoolPath } from "../data-paths.ts";

/** The folders of all spools, including the redirect workers'; none before the first start. */
export function spoolFolders(config: Config): string[] {
  const { spool } = dataPaths(config);
  if (!existsSync(spool)) return [];
  return [spool, ...workerSpoolIndexes(config).map((index) => workerSpoolPath(config, index))];
}

/** The lost clicks of all spools that the operator has not accepted. */
export function lostClicks(config: Config): LostClicks {
  return spoolFolders(config).map(readLosses).reduce(mergeLosses, { dropped: null, damaged: null });
}

/** The options of each spool of the data folder: all processes share the size limit evenly. */
export function spoolOptions(config: Config): Pick<SpoolOptions, "syncIntervalMs" | "spoolBytesMax"> {
  return {
    syncIntervalMs: config.WAYPOST_SPOOL_SYNC_MS,
    spoolBytesMax: Math.floor(config.WAYPOST_SPOOL_MAX_BYTES / (config.WAYPOST_WORKERS + 1)),
  };
}

/**
 * Takes the lock of a worker's spool and creates its folder; undefined when another process keeps the lock for
 * `withinMs`.
 */
export async function lockWorkerSpool(directory: string, withinMs: number): Promise<FileLock | undefined> {
  // A new folder must survive power loss before the clicks in it are said to.
  if (mkdirSync(directory, { recursive: true }) !== undefined) syncFolder(dirname(directory));
  return await lockFileWithin(join(directory, "writer.lock"), withinMs);
}
