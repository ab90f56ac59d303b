import { Database } from "bun:sqlite";

/** A lock held by this process until it is released, or until the process ends. */
export type FileLock = { release(): void };

const retryEveryMs = 25;

/** Holds a lock (tryLockFile), for which it waits a while; undefined when another process keeps it. */
export async function lockFileWithin(path: string, withinMs: number): Promise<FileLock | undefined> {
  const until = performance.now() + withinMs;
  for (;;) {
    const held = tryLockFile(path);
    if (held !== undefined || performance.now() >= until) return held;
    await Bun.sleep(retryEveryMs);
  }
}

/**
 * Holds a lock for as long as this process lives; undefined when another process holds it. The lock is the operating
 * system's (by way of SQLite's own locking), so that no kill and no crash leaves it behind.
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

/** True when SQLite refused because another connection holds what was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
