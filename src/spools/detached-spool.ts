import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { openSpool, type Spool } from "../clicks/spool.ts";
import type { Config } from "../config.ts";
import { dataPaths, workerSpoolIndexes, workerSpoolPath } from "../data-paths.ts";
import { lockWorkerSpool, spoolFolders, spoolOptions } from "./spool-folders.ts";
import type { Spools } from "./spools.ts";

/** Detached and adopted spools have numbers above those of redirect workers, whose spools no one writes either. */
const firstIndex = 100;

/** The first free number for a spool that this node will adopt. */
export function freeSpoolIndex(config: Pick<Config, "WAYPOST_DATA">): number {
  const used = new Set(workerSpoolIndexes(config));
  let index = firstIndex;
  while (used.has(index)) index++;
  return index;
}

/** The folder of a detached spool while it is written. Its name is not that of a redirect worker's spool. */
function detachedFolder(config: Pick<Config, "WAYPOST_DATA">): string {
  return join(dataPaths(config).spool, "detached");
}

/**
 * Opens a new spool for the clicks of a node that started without PostgreSQL. The node's usual spool continues only when
 * the cursors of its readers are known, which are in PostgreSQL.
 */
export function openDetachedSpool(config: Config): Spool {
  keepDetachedSpool(config);
  const directory = detachedFolder(config);
  mkdirSync(directory, { recursive: true });
  return openSpool({ ...spoolOptions(config), directory });
}

/**
 * Renames a detached spool that is not written any more, so that the node adopts it (spools.ts). Returns its number;
 * undefined when there is none.
 */
export function keepDetachedSpool(config: Pick<Config, "WAYPOST_DATA">): number | undefined {
  const directory = detachedFolder(config);
  if (!existsSync(directory)) return undefined;
  const index = freeSpoolIndex(config);
  renameSync(directory, workerSpoolPath(config, index));
  return index;
}

/**
 * Renames the spools of redirect workers that do not run, so that the workers begin new ones and the node adopts these. A spool
 * continues only when it is known to be no older copy of one whose positions its readers have passed, and no copy of one that
 * another node writes.
 */
export async function keepWorkerSpools(config: Config): Promise<void> {
  for (const index of workerSpoolIndexes(config).filter((index) => index <= config.WAYPOST_WORKERS)) {
    const directory = workerSpoolPath(config, index);
    const lock = await lockWorkerSpool(directory, 0);
    if (lock === undefined) continue;
    renameSync(directory, workerSpoolPath(config, freeSpoolIndex(config)));
    lock.release();
  }
}

/** True while the data folder has a spool that this node has not adopted yet. */
export function hasUnopenedSpool(config: Config, spools: Pick<Spools, "all">): boolean {
  const opened = new Set(spools.all().map(({ directory }) => directory));
  return existsSync(detachedFolder(config)) || spoolFolders(config).some((folder) => !opened.has(folder));
}
