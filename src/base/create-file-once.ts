import { chmodSync, linkSync, rmSync, writeFileSync } from "node:fs";

/**
 * Creates a private file, unless there is one. Links a complete file into place, so that no process reads a part of it
 * and the first of several wins.
 */
export function createFileOnce(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  // A file that an interrupted process left behind keeps its mode.
  chmodSync(temporary, 0o600);
  try {
    linkSync(temporary, path);
  } catch (error) {
    // Another process was first; its file counts.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
