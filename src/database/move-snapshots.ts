/**
 * Copies of a SQLite file as of one moment, which a move to PostgreSQL reads while the service changes the file. They lack the
 * visitor salts, as backups do, so a killed move leaves none behind. Their folder exists only during a move.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { freeBytesMin, requireSpaceForCopies } from "../base/disk-space.ts";
import { type FileLock, tryLockFile } from "../base/file-lock.ts";
import { copySqlite } from "./sqlite-copy.ts";

/** The snapshots of a move. */
export type MoveSnapshots = {
  /** Makes a snapshot and returns its path. Earlier ones than the last are removed. Throws "unavailable" without space for it. */
  next(): Promise<string>;
  /** Removes all of them. */
  remove(): void;
};

/** The snapshots of the SQLite file at `path`, in `folder`; undefined while another process has its snapshots there. */
export function openMoveSnapshots(path: string, folder: string): MoveSnapshots | undefined {
  const held = lockEmpty(folder);
  if (held === undefined) return undefined;
  let made = 0;
  const name = (number: number) => join(folder, `snapshot-${number}.sqlite`);
  return {
    async next() {
      rmSync(name(made - 1), { force: true });
      const files = [path, `${path}-wal`];
      // There are two snapshots later: a move that will lack space for them ends before its first one.
      const copied = made === 0 ? [...files, ...files] : files;
      requireSpaceForCopies(dirname(folder), copied, "A move while Waypost runs", freeBytesMin);
      copySqlite(path, name(++made));
      return name(made);
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
      held.release();
    },
  };
}

/** Removes the snapshots that a killed move has left in `folder`, unless a move uses them. */
export function removeLeftSnapshots(folder: string): void {
  if (existsSync(folder)) openMoveSnapshots("", folder)?.remove();
}

function lockEmpty(folder: string): FileLock | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const held = tryLockFile(join(folder, lockName));
  if (held === undefined) return undefined;
  for (const name of readdirSync(folder)) if (name !== lockName) rmSync(join(folder, name));
  return held;
}

const lockName = "lock";
