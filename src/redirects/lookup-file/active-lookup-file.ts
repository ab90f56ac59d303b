import { join } from "node:path";
import type { Tx } from "../../database/outbox.ts";
import type { SqliteReader } from "../../database/sqlite-reader.ts";
import { forEachLinkKey, openChanges, type RecordedChange, type RecordedChanges } from "../link-changes.ts";
import { type Found, type LookupFile, openLookupFile } from "./lookup-file.ts";

/** The setting that names the folder of the lookup file in use. */
export const settingName = "lookupFile";
/** Changes applied in one tick; further ones follow in later ticks. */
const changesPerStep = 500;
/** With more changes than this the file is dropped: too many unchanged links would count as changed. */
const changesMax = 200_000;

/** The lookup file that the database names, and the changes since it was written. */
export type ActiveLookupFile = {
  /** Applies committed changes; to be called before the first `find`, and before the first one after a commit. */
  catchUp(): void;
  /** What the file says about a link; "unknown" while there is no file, or changes remain to be applied. */
  find(domainId: string, foldedKey: string): Found;
  close(): void;
};

/** Opens the lookup files in `folder`. The database is not read before the first `catchUp`. */
export function openActiveLookupFile(database: SqliteReader, folder: string): ActiveLookupFile {
  const changes = openChanges(database);
  const selectName = database.query<{ value: string }, [string]>("SELECT value FROM settings WHERE name = ?");
  let name: string | undefined;
  let current: TrackedFile | undefined;
  /** The file that replaces the current one once all changes are applied to it. */
  let next: TrackedFile | undefined;
  let timer: Timer | undefined;

  function open(): TrackedFile | undefined {
    const file = name === undefined ? undefined : tryOpen(join(folder, name));
    return file === undefined ? undefined : new TrackedFile(file, changes);
  }

  /** Applies the remaining changes in later ticks, so that no visitor waits long. */
  function continueLater(): void {
    const isBehind = current !== undefined && !current.isCurrent;
    if (isBehind || next !== undefined) timer ??= setTimeout(continueNow, 0).unref();
  }

  function continueNow(): void {
    timer = undefined;
    try {
      if (current?.isCurrent === false) current.step();
      next?.step();
    } catch {
      // Lookups use the database, and report its error if it fails too; the next commit retries.
      return;
    }
    if (next?.isCurrent) {
      current = next;
      next = undefined;
    }
    continueLater();
  }

  return {
    catchUp() {
      const named = selectName.get(settingName)?.value;
      if (named !== name) {
        name = named;
        next = open();
        // Without a name, no file is valid (discardLookupFile).
        if (named === undefined || current === undefined) {
          current = next;
          next = undefined;
        }
      }
      current?.step();
      if (current?.hasTooManyChanges) current = undefined;
      continueLater();
    },
    find: (domainId, foldedKey) => (current?.isCurrent ? current.file.find(domainId, foldedKey) : "unknown"),
    close() {
      clearTimeout(timer);
      current = undefined;
      next = undefined;
    },
  };
}

/** Makes lookups use only the database until the next file is written; for code that writes links without events. */
export async function discardLookupFile(tx: Tx): Promise<void> {
  await tx.deleteFrom("settings").where("name", "=", settingName).execute();
}

/** A file, and the position up to which the outbox was applied to it. */
class TrackedFile {
  readonly file: LookupFile;
  readonly #changes: RecordedChanges;
  #cursor: number;
  #taken = 0;
  #isCurrent = false;

  constructor(file: LookupFile, changes: RecordedChanges) {
    this.file = file;
    this.#changes = changes;
    this.#cursor = file.manifest.event;
  }

  /** True when the last step applied all changes. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** True when so much has changed that the file is of little use. */
  get hasTooManyChanges(): boolean {
    return this.#taken > changesMax;
  }

  /** Applies the next changes. After an error of the database, which it throws, the file is not current. */
  step(): void {
    this.#isCurrent = false;
    const next = this.#changes.after(this.#cursor, changesPerStep);
    for (const change of next) applyChange(this.file, change);
    this.#cursor = next.at(-1)?.id ?? this.#cursor;
    this.#taken += next.length;
    this.#isCurrent = next.length < changesPerStep;
  }
}

/** Ignores a file that cannot be read: visitors are answered from the database, and a task writes another file. */
function tryOpen(folder: string): LookupFile | undefined {
  try {
    return openLookupFile(folder);
  } catch {
    return undefined;
  }
}

function applyChange(file: LookupFile, change: RecordedChange): void {
  forEachLinkKey(change, (domainId, foldedKey) => file.supersede(domainId, foldedKey));
  // Its links are deleted without events; this event stays when the workspace's events are erased.
  if (change.type === "workspace.deleted") file.supersedeWorkspace(change.workspaceId);
}
