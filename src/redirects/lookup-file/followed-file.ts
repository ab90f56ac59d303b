import { join } from "node:path";
import type { SqliteReader } from "../../database/sqlite.ts";
import { eachPlace, openChanges, type RecordedChange } from "../link-changes.ts";
import { type Found, type LookupFile, openLookupFile } from "./lookup-file.ts";

/** The setting that names the folder of the look-up file in use. */
export const settingName = "lookupFile";
/** Changes taken in at once; more of them are for the next turns. */
const changesPerStep = 500;
/** Beyond so many changes the file is given up: of places that did not change, ever more are taken for changed. */
const changesMax = 200_000;

type Open = { file: LookupFile; cursor: number; changes: number };

/** The look-up file that the database names at the moment, and what has changed since it was written. */
export type FollowedFile = {
  /** Takes in what has been committed; to be called before the first `find` after a commit. */
  catchUp(): void;
  /** What the file says of a place; "unknown" while there is none, or changes are left to be taken in. */
  find(domainId: string, foldedKey: string): Found;
  close(): void;
};

/** Follows the look-up files in `folder` by way of a connection to the database. */
export function followLookupFile(database: SqliteReader, folder: string): FollowedFile {
  const changes = openChanges(database);
  const selectName = database.query<{ value: string }, [string]>("SELECT value FROM settings WHERE name = ?");
  let name: string | undefined;
  let open: Open | undefined;
  let isCurrent = false;
  let timer: Timer | undefined;

  function step(): void {
    if (open === undefined) return;
    const next = changes.after(open.cursor, changesPerStep);
    for (const change of next) takeIn(open.file, change);
    open.cursor = next.at(-1)?.id ?? open.cursor;
    open.changes += next.length;
    isCurrent = next.length < changesPerStep;
    if (open.changes > changesMax) open = undefined;
    else if (!isCurrent) timer ??= setTimeout(stepLater, 0).unref();
  }

  function stepLater(): void {
    timer = undefined;
    step();
  }

  function catchUp(): void {
    const named = selectName.get(settingName)?.value;
    if (named !== name) {
      name = named;
      const file = named === undefined ? undefined : tryOpen(join(folder, named));
      open = file === undefined ? undefined : { file, cursor: file.facts.event, changes: 0 };
    }
    step();
  }

  catchUp();
  return {
    catchUp,
    find: (domainId, foldedKey) => (open !== undefined && isCurrent ? open.file.find(domainId, foldedKey) : "unknown"),
    close: () => clearTimeout(timer),
  };
}

/** No visitor is to suffer from a file that cannot be read; the task that keeps it fails, and says why. */
function tryOpen(folder: string): LookupFile | undefined {
  try {
    return openLookupFile(folder);
  } catch {
    return undefined;
  }
}

function takeIn(file: LookupFile, change: RecordedChange): void {
  eachPlace(change, (domainId, foldedKey) => file.supersede(domainId, foldedKey));
  // Its links go without events of their own; this event stays when those of the workspace are erased.
  if (change.type === "workspace.deleted") file.supersedeWorkspace(change.workspaceId);
}
