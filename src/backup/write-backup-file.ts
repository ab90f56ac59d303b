import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFailureOf } from "../base/disk-failure.ts";
import { messageOf } from "../base/message-of.ts";
import { Problem } from "../base/problem.ts";
import { syncFolder } from "../base/sync-folder.ts";
import type { StoredFile } from "./backup-storage.ts";

/** The system's codes of a full disk, and of a used quota. */
const fullCodes = ["ENOSPC", "EDQUOT"];

/**
 * Writes a backup to a temporary file beside `path`, renames it to `path` at the end, and returns its size in bytes.
 * Throws "conflict" when the file exists and `mayReplace` is false, and "unavailable" when it cannot be written to.
 */
export async function writeBackupFile(
  path: string,
  { bytes, bytesMax, signal }: StoredFile,
  { mayReplace }: { mayReplace: boolean },
): Promise<number> {
  if (!mayReplace) refuseExisting(path);
  const temporary = `${path}.part-${process.pid}`;
  const handle = await open(temporary, "wx", 0o600).catch((cause: unknown) => {
    throw new Problem("unavailable", `${path} cannot be written to (${messageOf(cause)}).`, { cause });
  });
  try {
    let written = 0;
    const explain = (error: unknown) => failedWrite(error, path, bytesMax);
    for await (const chunk of bytes) {
      signal.throwIfAborted();
      await handle.writeFile(chunk).catch(explain);
      written += chunk.length;
    }
    signal.throwIfAborted();
    await handle.sync().catch(explain);
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

/** Throws a problem that names the file, and for a full disk the most space that the backup takes. */
function failedWrite(cause: unknown, path: string, bytesMax: number): never {
  const failure = diskFailureOf(cause);
  const isFull = cause instanceof Error && "code" in cause && fullCodes.includes(String(cause.code));
  const needed = `The backup takes up to ${Math.ceil(bytesMax / 1e6).toLocaleString("en")} MB.`;
  const message = `${path} cannot be written to (${failure?.reason ?? messageOf(cause)}).`;
  throw new Problem("unavailable", isFull ? `${message} ${needed}` : message, { cause });
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
