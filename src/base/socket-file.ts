import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Problem } from "./problem.ts";

/**
 * Makes room for a Unix socket at `path`, in a folder that only its owner can enter. Whoever holds the lock that stands
 * for the socket may replace one that a crash left behind.
 */
export function prepareSocketPath(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  requireOwnSocketFolder(path);
  rmSync(path, { force: true });
}

/** Lets only the user that runs Waypost connect to the socket at `path`. */
export function makeSocketPrivate(path: string): void {
  chmodSync(path, 0o600);
}

/**
 * Refuses a folder for sockets in the system's folder for temporary files that belongs to another user than its name
 * says: anyone may have made it first, to listen to what we say. A socket in the data folder is as safe as that folder.
 */
export function requireOwnSocketFolder(path: string): void {
  const folder = dirname(path);
  const owner = temporaryFolderOwner(folder);
  const actualOwner = owner === undefined ? undefined : statSync(folder, { throwIfNoEntry: false })?.uid;
  if (actualOwner !== undefined && actualOwner !== owner) {
    throw new Problem("forbidden", `${folder} belongs to another user. Set WAYPOST_DATA to a shorter path.`);
  }
}

/** The folder for sockets of the user with this id whose paths in the data folder would be too long. */
export function temporarySocketFolder(uid: number): string {
  return join(tmpdir(), `waypost-${uid}`);
}

function temporaryFolderOwner(folder: string): number | undefined {
  const [, uid] = /^waypost-(\d+)$/.exec(basename(folder)) ?? [];
  return uid !== undefined && folder === temporarySocketFolder(Number(uid)) ? Number(uid) : undefined;
}
