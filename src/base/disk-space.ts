import { statfs } from "node:fs/promises";

/** Free bytes that exports leave on the disk, so that clicks and links can still be written. */
export const freeBytesMin = 512 * 1024 ** 2;

/** Returns the free bytes of the disk that holds a folder. Throws when the file system cannot be read. */
export async function freeDiskBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
