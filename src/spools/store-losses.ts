/**
 * Stored clicks that are missing: the file of the click store is gone, or an older copy took its place.
 *
 * 1. Each file has an id made at random with it. The relational database remembers the id of the file that clicks were
 *    stored in; a file with another id holds none of them. That is no loss while the spools still hold all clicks: they
 *    are stored again.
 * 2. A segment of a spool is deleted only when its clicks are in the store. A store that begins to read behind deleted
 *    segments is an older copy, or a new file.
 * 3. A loss is remembered until the operator accepts it or a file with the remembered id is back. Links redirect and new
 *    clicks are stored all the same.
 */
import type { Log } from "../base/log.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { SpoolCorrupt } from "../clicks/spool-format.ts";
import { viewSpool } from "../clicks/spool-view.ts";
import type { Db } from "../database/database.ts";

/** A loss of stored clicks, found at `foundAt` in milliseconds. `bytes` of spool are missing from an older copy. */
export type StoreLoss = { kind: StoreLossKind; bytes: number; foundAt: number };
type StoreLossKind = "replaced" | "older";

/** What looking for losses takes; `folders` are those of the spools. */
type StoreLossDeps = {
  db: Db;
  pipeline: Pick<Pipeline, "storeId">;
  folders: () => readonly string[];
  log: Log;
  now: () => number;
};

/** The losses of stored clicks that this process knows of. */
export class StoreLosses {
  readonly #deps: StoreLossDeps;
  #storeId: string | undefined;
  #current: readonly StoreLoss[] = [];
  /** Bytes missing from an older copy that are not in the database yet. */
  #unsavedBytes = 0;

  constructor(deps: StoreLossDeps) {
    this.#deps = deps;
  }

  /** Those that the operator has not accepted, as last looked for. */
  get current(): readonly StoreLoss[] {
    return this.#current;
  }

  /** Has the next look ask again which file is open: after the end of the store's process, and after an acceptance. */
  forget(): void {
    this.#storeId = undefined;
  }

  /**
   * Looks which file is open, unless that is known, and remembers what is missing. Throws while the store or the database
   * cannot be asked; what is noted is kept for the next look.
   */
  async check(): Promise<void> {
    await this.#checkFile();
    await this.#saveOlder();
  }

  async #checkFile(): Promise<void> {
    if (this.#storeId !== undefined) return;
    const { db, pipeline, folders, now, log } = this.#deps;
    const storeId = await pipeline.storeId();
    const known = await knownStoreId(db);
    if (known === undefined) await db.insertInto("clickStores").values({ storeId }).execute();
    else if (known !== storeId && (await areAllClicksSpooled(db, folders()))) {
      await db.updateTable("clickStores").set({ storeId }).execute();
      log.warn("The click store's file is a new one; its clicks are stored again from the spool.", {});
    } else if (known !== storeId) await remember(db, { storeId, kind: "replaced", bytes: 0, foundAt: now() });
    this.#current = await lossesOf(db, storeId);
    this.#storeId = storeId;
    for (const { kind, ...loss } of this.#current) log.error(messages[kind], { ...loss, hint });
  }

  /**
   * Notes that the store begins to read behind `bytes` of a spool that were deleted. Throws while they cannot be written
   * to the database; the next look writes them.
   */
  async reportOlder(bytes: number): Promise<void> {
    this.#deps.log.error(messages.older, { bytes, hint });
    this.#unsavedBytes += bytes;
    await this.#saveOlder();
  }

  async #saveOlder(): Promise<void> {
    const bytes = this.#unsavedBytes;
    if (bytes === 0) return;
    const { db, pipeline, now } = this.#deps;
    // Taken before the first wait, so that two calls at once write them once.
    this.#unsavedBytes = 0;
    let storeId: string;
    try {
      storeId = await pipeline.storeId();
      await remember(db, { storeId, kind: "older", bytes, foundAt: now() });
    } catch (error) {
      this.#unsavedBytes += bytes;
      throw error;
    }
    this.#current = await lossesOf(db, storeId);
  }
}

const messages: Record<StoreLossKind, string> = {
  replaced: "Stored clicks are missing: the file of the click store is not the one that clicks were stored in.",
  older: "Stored clicks are missing: the click store is older than the spool, which has deleted what it lacks.",
};
const hint =
  "Stop Waypost and restore clicks.duckdb from a backup, or accept the loss with: waypost clicks accept-loss";

/** The losses that are remembered of a file. */
export async function lossesOf(db: Db, storeId: string): Promise<StoreLoss[]> {
  const rows = await db.selectFrom("clickStoreLosses").selectAll().where("storeId", "=", storeId).execute();
  return rows.map(({ kind, bytes, foundAt }) => ({ kind: kind === "older" ? "older" : "replaced", bytes, foundAt }));
}

/** The id of the file that clicks were stored in; undefined when none was, and after a loss was accepted. */
export async function knownStoreId(db: Db): Promise<string | undefined> {
  return (await db.selectFrom("clickStores").select("storeId").executeTakeFirst())?.storeId;
}

/**
 * True while the spools in the folders still hold every click that was ever counted, so that a new click store lacks
 * none: each spool that clicks were counted from is there and begins at its first byte.
 * Known weakness: a spool that was restored from an older copy, and jumps over clicks, counts as whole.
 */
export async function areAllClicksSpooled(db: Db, folders: readonly string[]): Promise<boolean> {
  const whole = new Set(folders.flatMap(wholeSpoolId));
  const counted = await db
    .selectFrom("counterCursors")
    .select("spoolId")
    .distinct()
    .where("position", ">", 0)
    .execute();
  return counted.every(({ spoolId }) => whole.has(spoolId));
}

/** The id of the spool in a folder; none where a segment was deleted, or where the spool cannot be read as written. */
function wholeSpoolId(folder: string): string[] {
  try {
    const view = viewSpool(folder);
    return view?.bases[0] === 0 ? [view.id] : [];
  } catch (error) {
    if (error instanceof SpoolCorrupt) return [];
    throw error;
  }
}

/** Accepts every loss of stored clicks: the file that is open next is the one that clicks are stored in. */
export async function acceptStoreLosses(db: Db): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom("clickStoreLosses").executeTakeFirst();
  await db.deleteFrom("clickStores").execute();
  return Number(numDeletedRows);
}

async function remember(db: Db, loss: StoreLoss & { storeId: string }): Promise<void> {
  await db
    .insertInto("clickStoreLosses")
    .values(loss)
    .onConflict((conflict) =>
      conflict
        .columns(["storeId", "kind"])
        .doUpdateSet((row) => ({ bytes: row("clickStoreLosses.bytes", "+", row.ref("excluded.bytes")) })),
    )
    .execute();
}
