import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { Problem } from "./problem.ts";

/**
 * Makes room for a Unix socket at `path`, in a folder that only its owner can enter. Whoever holds the lock that stands
 * for the socket may replace one that a crash left behind.
 */
export function clearSocketFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  requireOwnFolder(path);
  rmSync(path, { force: true });
}

/** Lets only the user that runs Waypost connect to the socket at `path`. */
export function closeSocketToOthers(path: string): void {
  chmodSync(path, 0o600);
}

/** In the system's folder for temporary files anyone may have made this one first, to listen to what we say. */
export function requireOwnFolder(path: string): void {
  const folder = dirname(path);
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  if (folder.startsWith(tmpdir()) && owner !== undefined && owner !== (process.getuid?.() ?? owner)) {
    throw new Problem(
      "forbidden",
      `${folder} belongs to another user. Remove it, or set WAYPOST_DATA to a shorter path.`,
    );
  }
}
