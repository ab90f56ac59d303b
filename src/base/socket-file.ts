import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Problem } from "./problem.ts";

/**
 * Prepares `path` for a Unix socket: creates the folder, private to its owner, and removes the socket of a crashed
 * process. The caller holds the lock that protects the socket.
 */
export function prepareSocketPath(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  requireOwnSocketFolder(path);
  rmSync(path, { force: true });
}

/** Lets only the socket's owner connect. */
export function makeSocketPrivate(path: string): void {
  chmodSync(path, 0o600);
}

/**
 * Throws Problem "forbidden" for a temporary socket folder that belongs to another user than its name says: any user
 * may have created it, to intercept connections. A socket in the data folder is as safe as that folder.
 */
export function requireOwnSocketFolder(path: string): void {
  const folder = dirname(path);
  const owner = temporaryFolderOwner(folder);
  const actualOwner = owner === undefined ? undefined : statSync(folder, { throwIfNoEntry: false })?.uid;
  if (actualOwner !== undefined && actualOwner !== owner) {
    throw new Problem("forbidden", `${folder} belongs to another user. Set WAYPOST_DATA to a shorter path.`);
  }
}

/** Returns a user's folder for sockets whose paths in the data folder would be too long. */
export function temporarySocketFolder(uid: number): string {
  return join(tmpdir(), `waypost-${uid}`);
}

function temporaryFolderOwner(folder: string): number | undefined {
  const [, uid] = /^waypost-(\d+)$/.exec(basename(folder)) ?? [];
  return uid !== undefined && folder === temporarySocketFolder(Number(uid)) ? Number(uid) : undefined;
}
