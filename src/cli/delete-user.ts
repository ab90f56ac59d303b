import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf } from "../base/message-of.ts";
import { syncFolder } from "../base/sync-folder.ts";
import { CliError } from "./cli-error.ts";
import { requirePlaceFor } from "./require-place-for.ts";
import { runOperation } from "./run-operation.ts";

/**
 * Writes everything that is stored about a user into a new file, then erases the user; prints one line of JSON. The file
 * is on the disk before anything is erased, and is removed when the user cannot be deleted.
 * Throws CliError when the file exists or cannot be written; the operations' problems.
 */
export async function deleteUser(user: string, file: string): Promise<void> {
  const path = resolve(file);
  requireNewFile(path);
  const exported = await runOperation("user export", { user });
  writeNewFile(path, `${JSON.stringify(exported, undefined, 2)}\n`);
  try {
    const deleted = await runOperation("user delete", { user });
    process.stdout.write(`${JSON.stringify({ ...Object(deleted), export: path })}\n`);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function requireNewFile(path: string): void {
  try {
    requirePlaceFor(path, "Give a file in it.");
    if (existsSync(path)) throw new CliError(`${path} already exists. Choose another file.`);
  } catch (error) {
    throw new CliError(`--export: ${messageOf(error)} Nothing was deleted.`);
  }
}

function writeNewFile(path: string, text: string): void {
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      // writeSync would write what fits on a full disk, without an error.
      writeFileSync(file, text);
      fsyncSync(file);
    } catch (error) {
      rmSync(path);
      throw error;
    } finally {
      closeSync(file);
    }
    syncFolder(dirname(path));
  } catch (error) {
    throw new CliError(`--export: ${path} cannot be written: ${messageOf(error)}. Nothing was deleted.`);
  }
}
