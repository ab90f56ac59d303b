import { accessSync, constants, statSync } from "node:fs";
import { messageOf } from "../base/message-of.ts";
import type { BackupPlace } from "../base/option-parsers.ts";

/**
 * Says why this process cannot write backups into a folder; undefined for a folder that it can write. A missing folder is
 * not created: it may be the disk that is not mounted.
 */
export function backupFolderProblem(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return `there is no folder ${path}. Create it, or mount its disk.`;
    if (!found.isDirectory()) return `${path} is not a folder.`;
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${path} cannot be read and written (${messageOf(error)}).`;
  }
}

/** Says why the place of scheduled backups cannot be used; undefined without one, and for a bucket. */
export function backupPlaceProblem(place: BackupPlace | undefined): string | undefined {
  if (place?.kind !== "folder") return undefined;
  const problem = backupFolderProblem(place.path);
  return problem === undefined ? undefined : `WAYPOST_BACKUP_TO: ${problem} Until then, backups fail.`;
}
