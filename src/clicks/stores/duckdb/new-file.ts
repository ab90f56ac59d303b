/**
 * A file that is written beside the store's file and replaces it when it is complete: the first one, and the copy that a
 * vacuum makes. DuckDB cannot open a file whose creation was interrupted, so the store's path never has such a file.
 */
import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../../../base/sync-folder.ts";

/** The path of the new file for the store at `path`. */
export function newFileOf(path: string): string {
  return `${path}.new`;
}

/** Removes an incomplete new file, if there is one. */
export function removeNewFile(path: string): void {
  for (const suffix of ["", ".wal"]) rmSync(`${newFileOf(path)}${suffix}`, { force: true });
}

/** Makes the complete new file, which no engine has open, the store's file; atomic even if the process crashes. */
export function replaceWithNewFile(path: string): void {
  renameSync(newFileOf(path), path);
  syncFolder(dirname(path));
}
