import { statfsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { Problem } from "./problem.ts";

/** Free bytes that exports leave on the disk, so that clicks and links can still be written. */
export const freeBytesMin = 512 * 1024 ** 2;

/** Returns the free bytes of the disk that holds a folder. Throws when the file system cannot be read. */
export async function freeDiskBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Returns the bytes of a file; 0 when there is none. Synchronous, because the runtime has few threads for files. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Throws "unavailable" when the disk of a folder has too little space for copies of files, with `spareBytes` left. `what`
 * needs them, such as "A backup". Files that do not exist need none. Synchronous, because the runtime has few threads for
 * file operations, and slow ones of other work would keep the caller waiting.
 */
export function requireSpaceForCopies(
  folder: string,
  paths: readonly string[],
  what: string,
  spareBytes = freeBytesMin / 8,
): void {
  const needed = paths.reduce((sum, path) => sum + fileBytes(path), 0);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free - needed >= spareBytes) return;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6).toLocaleString("en");
  throw new Problem(
    "unavailable",
    `${what} needs ${megabytes(needed + spareBytes)} MB beside the data for its copies, and ${folder} has ${megabytes(free)} MB free.`,
  );
}
