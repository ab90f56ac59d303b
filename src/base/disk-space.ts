import { statfs } from "node:fs/promises";

/** What is left free on the disk by everything that is not clicks or links, so that these go on; in bytes. */
export const freeBytesMin = 512 * 1024 ** 2;

/** Free bytes of the disk on which a folder lies. Throws when it cannot be looked at. */
export async function freeDiskBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
