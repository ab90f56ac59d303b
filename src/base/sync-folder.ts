import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs a folder, so that new and renamed entries survive a power loss. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
