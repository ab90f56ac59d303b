/** Makes every file and folder that this process creates accessible to its owner only. */
export function keepNewFilesPrivate(): void {
  process.umask(0o077);
}
