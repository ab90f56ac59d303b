import { join } from "node:path";
import type { Tx } from "../../database/outbox.ts";
import type { SqliteReader } from "../../database/sqlite-reader.ts";
import { forEachLinkKey, openChanges, type RecordedChange, type RecordedChanges } from "../link-changes.ts";
import { type Found, type LookupFile, openLookupFile } from "./lookup-file.ts";

/** The setting that names the folder of the look-up file in use. */
export const settingName = "lookupFile";
/** Changes taken in at once; more of them are for the next turns. */
const changesPerStep = 500;
/** Beyond so many changes the file is given up: of places that did not change, ever more are taken for changed. */
const changesMax = 200_000;

/** The look-up file that the database names at the moment, and what has changed since it was written. */
export type ActiveLookupFile = {
  /** Takes in what has been committed; to be called before the first `find`, and the first after a commit. */
  catchUp(): void;
  /** What the file says of a place; "unknown" while there is none, or changes are left to be taken in. */
  find(domainId: string, foldedKey: string): Found;
  close(): void;
};

/** Follows the look-up files in `folder` by way of a connection to the database, of which nothing is asked yet. */
export function openActiveLookupFile(database: SqliteReader, folder: string): ActiveLookupFile {
  const changes = openChanges(database);
  const selectName = database.query<{ value: string }, [string]>("SELECT value FROM settings WHERE name = ?");
  let name: string | undefined;
  let current: TrackedFile | undefined;
  /** A file that takes the place of the one in use when it knows of all changes. */
  let next: TrackedFile | undefined;
  let timer: Timer | undefined;

  function open(): TrackedFile | undefined {
    const file = name === undefined ? undefined : tryOpen(join(folder, name));
    return file === undefined ? undefined : new TrackedFile(file, changes);
  }

  /** The rest is for later turns, so that no visitor waits for much of it. */
  function goOnLater(): void {
    const isBehind = current !== undefined && !current.isCurrent;
    if (isBehind || next !== undefined) timer ??= setTimeout(goOn, 0).unref();
  }

  function goOn(): void {
    timer = undefined;
    try {
      if (current?.isCurrent === false) current.step();
      next?.step();
    } catch {
      // Visitors are answered from the database, or told what it says; the next commit begins again.
      return;
    }
    if (next?.isCurrent) {
      current = next;
      next = undefined;
    }
    goOnLater();
  }

  return {
    catchUp() {
      const named = selectName.get(settingName)?.value;
      if (named !== name) {
        name = named;
        next = open();
        // Whoever takes the name away says that no file is right.
        if (named === undefined || current === undefined) {
          current = next;
          next = undefined;
        }
      }
      current?.step();
      if (current?.hasTooManyChanges) current = undefined;
      goOnLater();
    },
    find: (domainId, foldedKey) => (current?.isCurrent ? current.file.find(domainId, foldedKey) : "unknown"),
    close() {
      clearTimeout(timer);
      current = undefined;
      next = undefined;
    },
  };
}

/** Has look-ups ask the database alone until another file is written: for whoever writes links without events. */
export async function discardLookupFile(tx: Tx): Promise<void> {
  await tx.deleteFrom("settings").where("name", "=", settingName).execute();
}

/** A file, and how far the outbox has been read for it. */
class TrackedFile {
  readonly file: LookupFile;
  readonly #changes: RecordedChanges;
  #cursor: number;
  #taken = 0;
  #isCurrent = false;

  constructor(file: LookupFile, changes: RecordedChanges) {
    this.file = file;
    this.#changes = changes;
    this.#cursor = file.facts.event;
  }

  /** Whether all changes were taken in that there were at the last step. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** Whether so much has changed that the file is of little use. */
  get hasTooManyChanges(): boolean {
    return this.#taken > changesMax;
  }

  /** Takes in the next changes. Throws what the database does, and is not current then. */
  step(): void {
    this.#isCurrent = false;
    const next = this.#changes.after(this.#cursor, changesPerStep);
    for (const change of next) applyChange(this.file, change);
    this.#cursor = next.at(-1)?.id ?? this.#cursor;
    this.#taken += next.length;
    this.#isCurrent = next.length < changesPerStep;
  }
}

/** No visitor is to suffer from a file that cannot be read; the task that keeps it writes another one. */
function tryOpen(folder: string): LookupFile | undefined {
  try {
    return openLookupFile(folder);
  } catch {
    return undefined;
  }
}

function applyChange(file: LookupFile, change: RecordedChange): void {
  forEachLinkKey(change, (domainId, foldedKey) => file.supersede(domainId, foldedKey));
  // Its links go without events of their own; this event stays when those of the workspace are erased.
  if (change.type === "workspace.deleted") file.supersedeWorkspace(change.workspaceId);
}
