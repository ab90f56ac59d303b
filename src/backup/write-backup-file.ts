import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFailureOf } from "../base/disk-failure.ts";
import { messageOf } from "../base/message-of.ts";
import { Problem } from "../base/problem.ts";
import { syncFolder } from "../base/sync-folder.ts";
import type { StoredFile } from "./backup-storage.ts";

/**
 * Writes a backup to a temporary file beside `path`, renames it to `path` at the end, and returns its size in bytes.
 * Throws "conflict" when the file exists and `mayReplace` is false, and "unavailable" when it cannot be created.
 */
export async function writeBackupFile(
  path: string,
  { bytes, signal }: StoredFile,
  { mayReplace }: { mayReplace: boolean },
): Promise<number> {
  if (!mayReplace) refuseExisting(path);
  const temporary = `${path}.part-${process.pid}`;
  const handle = await open(temporary, "wx", 0o600).catch((cause: unknown) => {
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
    await rename(temporary, path);
    syncFolder(dirname(path));
    return written;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Throws "conflict" when a file has the name. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw new Problem("conflict", `${path} already exists. Choose another file, or replace it with --force.`);
}

/** The reason for a failed write, and what to do if the disk is the cause. */
export function reasonOfFailure(error: unknown): string {
  // A Problem names the file itself; the advice of a disk failure is about the data folder.
  const failure = error instanceof Problem ? undefined : diskFailureOf(error);
  return failure === undefined ? messageOf(error) : `${failure.reason}. ${failure.advice}`;
}
