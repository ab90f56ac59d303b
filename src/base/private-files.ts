/** Has every file that this process makes readable and writable by its owner alone, and every folder enterable by them. */
export function keepNewFilesPrivate(): void {
  process.umask(0o077);
}
