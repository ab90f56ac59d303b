/**
 * Detects missing stored clicks: the click store's file is gone, or an older copy has replaced it.
 *
 * 1. Each file has a random id. The relational database remembers the id of the file that holds the stored clicks; a
 *    file with another id holds none of them. This is no loss while the spools still hold all clicks: they are stored
 *    again.
 * 2. A segment of a spool is deleted only after its clicks are stored. A store whose cursor lies in deleted segments is
 *    therefore an older copy or a new file.
 * 3. A loss is remembered until the operator accepts it or the file with the remembered id returns. Links redirect and
 *    new clicks are stored in any case.
 */
import type { Log } from "../base/log.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { SpoolCorrupt } from "../clicks/spool-format.ts";
import { viewSpool } from "../clicks/spool-view.ts";
import type { Db } from "../database/database.ts";
import { knownStoreId } from "../database/known-store.ts";
import { registerSpool } from "../links/counters.ts";
import { furthestCursorOf, type PerReader } from "./cursors.ts";

/**
 * A loss of stored clicks, found at `foundAt` in milliseconds. `bytes` is the part of the spool that an older copy
 * lacks.
 */
export type StoreLoss = { kind: StoreLossKind; bytes: number; foundAt: number };
type StoreLossKind = "replaced" | "older";

/** The dependencies of StoreLosses; `folders` are those of the spools, and `isStoreAbsent` is true before the store's file exists. */
type StoreLossDeps = {
  db: Db;
  isStoreAbsent: () => boolean;
  pipeline: Pick<Pipeline, "storeId">;
  folders: () => readonly string[];
  log: Log;
  now: () => number;
};

/** The known losses of stored clicks. */
export class StoreLosses {
  readonly #deps: StoreLossDeps;
  #storeId: string | undefined;
  #current: readonly StoreLoss[] = [];
  #checking: Promise<void> | undefined;
  /** Bytes that an older copy lacks and that are not in the database yet. */
  #unsavedBytes = 0;

  constructor(deps: StoreLossDeps) {
    this.#deps = deps;
  }

  /** The losses that the operator has not accepted, as of the last check. */
  get current(): readonly StoreLoss[] {
    return this.#current;
  }

  /**
   * Makes the next check read the file's id again: after the store's process has crashed, when another one starts, since the
   * file may have been replaced in between, and after an acceptance.
   */
  forget(): void {
    this.#storeId = undefined;
  }

  /**
   * Reads the id of the open file, unless it is known, and records missing clicks. Reads the losses that this node or
   * another one has recorded. Throws while the store or the database is unavailable; the next check records what this
   * one could not.
   */
  async check(): Promise<void> {
    if (!(await this.isUnused())) await this.#checkOnce();
    await this.#saveOlder();
  }

  /**
   * Remembers the id of the store unless one is remembered, and creates an absent store. Throws while the store or the
   * database is unavailable.
   */
  async rememberNew(): Promise<void> {
    await this.#checkOnce();
  }

  /**
   * Call it before clicks of a spool are stored; `cursors` are those of its readers. Creates an absent store and remembers
   * its id, and remembers a new spool (foreign-store.ts). Throws while the spool is new and the database is unavailable;
   * without the database, later clicks are stored all the same.
   */
  async beforeStoring(spoolId: string, cursors: PerReader): Promise<void> {
    // If this fails, the next check remembers the store.
    if (this.#deps.isStoreAbsent()) await this.rememberNew().catch(() => {});
    if (furthestCursorOf(cursors) === 0) await registerSpool(this.#deps.db, spoolId);
  }

  /**
   * True while nothing was stored yet. Asking for the id would create the file, and start the store's process. Throws
   * while the database is unavailable and the file is absent.
   */
  async isUnused(): Promise<boolean> {
    return this.#deps.isStoreAbsent() && (await knownStoreId(this.#deps.db)) === undefined;
  }

  /** Concurrent calls share one check. */
  async #checkOnce(): Promise<void> {
    this.#checking ??= this.#checkFile().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #checkFile(): Promise<void> {
    const { db, pipeline, folders, now, log } = this.#deps;
    const known = await knownStoreId(db);
    // Another node may have recorded or accepted losses.
    if (this.#storeId !== undefined && known !== undefined) return await this.#read(this.#storeId);
    const storeId = await pipeline.storeId();
    if (known === undefined) await rememberStore(db, storeId);
    else if (known !== storeId && (await areAllClicksSpooled(db, folders()))) {
      await db.updateTable("clickStores").set({ storeId }).execute();
      log.warn("The click store's file is new; its clicks are stored again from the spool.", {});
    } else if (known !== storeId) await remember(db, { storeId, kind: "replaced", bytes: 0, foundAt: now() });
    await this.#read(storeId);
    this.#storeId = storeId;
  }

  /** Reads the losses of a file, and logs those that are new to this node. */
  async #read(storeId: string): Promise<void> {
    const former = new Set(this.#current.map(({ kind }) => kind));
    this.#current = await lossesOf(this.#deps.db, storeId);
    for (const { kind, ...loss } of this.#current) {
      if (!former.has(kind)) this.#deps.log.error(messages[kind], { ...loss, hint });
    }
  }

  /**
   * Records that `bytes` of a spool were deleted before the store read them. Throws while the database is unavailable;
   * the next check records them.
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
    // Reset before the first await, so that two concurrent calls record the bytes once.
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
  replaced: "Stored clicks are missing: the click store is not the one that clicks were stored in.",
  older: "Stored clicks are missing: the click store is older than the spool, which has deleted what it lacks.",
};
const hint =
  "Stop Waypost and restore the click store from a backup, or accept the loss with: waypost clicks accept-loss";

/** The recorded losses of a file. */
export async function lossesOf(db: Db, storeId: string): Promise<StoreLoss[]> {
  const rows = await db.selectFrom("clickStoreLosses").selectAll().where("storeId", "=", storeId).execute();
  return rows.map(({ kind, bytes, foundAt }) => ({ kind: kind === "older" ? "older" : "replaced", bytes, foundAt }));
}

/**
 * True while the spools in the folders still hold every click ever counted, so that a new click store can read all of
 * them again: each counted spool exists and begins at its first byte.
 * Known weakness: a spool that was restored from an older copy, and so jumps over clicks, counts as whole.
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

/** The id of the spool in a folder; none if a segment was deleted or the spool cannot be read. */
function wholeSpoolId(folder: string): string[] {
  try {
    const view = viewSpool(folder);
    return view?.bases[0] === 0 ? [view.id] : [];
  } catch (error) {
    if (error instanceof SpoolCorrupt) return [];
    throw error;
  }
}

/** Accepts every loss of stored clicks: from now on the open file holds the stored clicks. */
export async function acceptStoreLosses(db: Db): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom("clickStoreLosses").executeTakeFirst();
  await db.deleteFrom("clickStores").execute();
  return Number(numDeletedRows);
}

/** Nodes that share a store may remember it at the same time. */
async function rememberStore(db: Db, storeId: string): Promise<void> {
  await db
    .insertInto("clickStores")
    .values({ storeId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
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
