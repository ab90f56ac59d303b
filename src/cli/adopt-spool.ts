import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { viewSpool } from "../clicks/spool-view.ts";
import { readConfig } from "../config.ts";
import { dataPaths, workerSpoolPath } from "../data-paths.ts";
import { freeSpoolIndex } from "../spools/detached-spool.ts";
import { CliError } from "./cli-error.ts";
import { folderInUseError, lockDataFolderAsOwner } from "./data-folder.ts";

/**
 * Copies the spool of a dead node's disk into this data folder. The next start stores and counts what is left of it, and
 * then removes the copy.
 * Throws CliError when the folder holds no spool, or the service runs.
 */
export function adoptSpool(folder: string): { spoolId: string; copiedTo: string } {
  const config = readConfig();
  const given = resolve(folder);
  // The whole data folder serves too.
  const source = existsSync(resolve(given, "spool")) ? resolve(given, "spool") : given;
  const spool = existsSync(source) ? viewSpool(source) : undefined;
  if (spool === undefined) throw new CliError(`${given} holds no spool. Give the data folder of the dead node.`);
  if (source === dataPaths(config).spool) throw new CliError(`${source} is the spool of this data folder.`);
  const held = lockDataFolderAsOwner(config);
  if (held === undefined) throw folderInUseError(config);
  try {
    const target = workerSpoolPath(config, freeSpoolIndex(config));
    const partial = `${target}.partial`;
    rmSync(partial, { recursive: true, force: true });
    // Other folders in it are spools of redirect workers, which are adopted one by one.
    cpSync(source, partial, { recursive: true, filter: (path) => !/[/\\]worker-\d+$/.test(path) });
    renameSync(partial, target);
    return { spoolId: spool.id, copiedTo: target };
  } finally {
    held.release();
  }
}
