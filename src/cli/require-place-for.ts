import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../base/message-of.ts";
import { CliError } from "./cli-error.ts";

/**
 * Throws CliError unless a file can get this path, so that a mistake is named before the work that fills the file. `advice`
 * follows the sentence about a path that is a folder.
 */
export function requirePlaceFor(file: string, advice: string): void {
  const folder = dirname(file);
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new CliError(`${file} is a folder. ${advice}`);
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) {
      throw new CliError(`There is no folder ${folder}. Create it, or give another file.`);
    }
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${folder} cannot be written to (${messageOf(error)}).`);
  }
}
