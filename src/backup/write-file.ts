import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFailureOf } from "../base/disk-failure.ts";
import { messageOf } from "../base/message-of.ts";
import { Problem } from "../base/problem.ts";
import { syncFolder } from "../base/sync-folder.ts";
import type { StoredFile } from "./backup-storage.ts";

/**
 * Writes a backup to a temporary name beside `path` and renames it at the end; returns the bytes of the file.
 * Throws "conflict" when the file exists and `mayReplace` is false, and "unavailable" when it cannot be written.
 */
export async function writeBackupFile(
  path: string,
  { bytes, signal }: StoredFile,
  { mayReplace }: { mayReplace: boolean },
): Promise<number> {
  if (!mayReplace) refuseExisting(path);
  const part = `${path}.part-${process.pid}`;
  const handle = await open(part, "wx", 0o600).catch((cause: unknown) => {
    throw new Problem("unavailable", `${path} cannot be written to (${messageOf(cause)}).`, { cause });
  });
  try {
    let written = 0;
    for await (const chunk of bytes) {
      signal.throwIfAborted();
      await handle.writeFile(chunk);
      written += chunk.length;
    }
    signal.throwIfAborted();
    await handle.sync();
    await handle.close();
    if (!mayReplace) refuseExisting(path);
    await rename(part, path);
    syncFolder(dirname(path));
    return written;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}

/** Throws "conflict" when a file has the name. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw new Problem("conflict", `${path} already exists. Choose another file, or replace it with --force.`);
}

/** The reason of a failed write, and what to do about a full disk. */
export function reasonOfFailure(error: unknown): string {
  const failure = diskFailureOf(error);
  return failure === undefined ? messageOf(error) : `${failure.reason}. ${failure.advice}`;
}
