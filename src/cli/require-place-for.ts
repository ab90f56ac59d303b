import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../base/message-of.ts";
import { CliError } from "./cli-error.ts";
import { userName } from "./user-name.ts";

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

/**
 * Checks a place again after the command may have switched from root to `owner`, the owner of the data folder. Throws the
 * error of the check, with the user whose rights count.
 */
export async function asFolderOwner<Result>(
  owner: { uid: number } | undefined,
  check: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    if (owner === undefined || process.getuid?.() !== owner.uid) throw error;
    throw new CliError(
      `${messageOf(error)} This command runs as ${userName(owner.uid)}, who owns the data folder; choose a folder that this user can write.`,
    );
  }
}
