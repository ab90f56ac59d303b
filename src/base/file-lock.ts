import { Database } from "bun:sqlite";

/** A lock that this process holds until it is released or the process ends. */
export type FileLock = { release(): void };

const retryEveryMs = 25;

/** Acquires a lock like tryLockFile, but waits up to `withinMs` for it; undefined when another process keeps it. */
export async function lockFileWithin(path: string, withinMs: number): Promise<FileLock | undefined> {
  const until = performance.now() + withinMs;
  for (;;) {
    const held = tryLockFile(path);
    if (held !== undefined || performance.now() >= until) return held;
    await Bun.sleep(retryEveryMs);
  }
}

/**
 * Acquires a lock for the life of this process; undefined when another process holds it.
 * Guarantee: the operating system holds the lock (through SQLite's file locking), so a killed process leaves none
 * behind.
 */
export function tryLockFile(path: string): FileLock | undefined {
  const file = new Database(path, { create: true, readwrite: true });
  try {
    file.run("PRAGMA busy_timeout = 0");
    file.run("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release() {
      file.run("ROLLBACK");
      file.close();
    },
  };
}

/** True when SQLite failed because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
