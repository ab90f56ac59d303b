import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isMissing } from "./is-missing.ts";

/** Returns the text of a file without surrounding white space; undefined when there is no file. */
export function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the text of a private file, like readTextFile. The first call creates the file with `newText`; of several
 * processes, all get the same text.
 */
export function readOrCreateTextFile(path: string, newText: () => string): string {
  const stored = readTextFile(path);
  if (stored !== undefined) return stored;
  mkdirSync(dirname(path), { recursive: true });
  createFileOnce(path, `${newText()}\n`);
  const created = readTextFile(path);
  if (created === undefined) throw new Error(`${path} was removed right after it was created.`);
  return created;
}

/**
 * Creates a private file, unless there is one. Links a complete file into place, so that no process reads a part of it
 * and the first of several wins.
 */
function createFileOnce(path: string, text: string): void {
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
