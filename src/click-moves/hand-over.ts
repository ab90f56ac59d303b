import type { CompleteMove } from "../click-move-folder.ts";
import { movedPrefix, movedSpoolsOf, withoutMoved } from "../clicks/moved-spools.ts";
import type { Db } from "../database/database.ts";
import { knownStoreId, setKnownStoreId } from "../database/known-store.ts";
import { transact } from "../database/transact.ts";

/**
 * Makes ClickHouse the store of all clicks: its cursors become those of the file. Can be repeated.
 * Returns false when this database does not know the move, or the store that it moved.
 */
export async function handOverToClickHouse(db: Db, { moveId, from, to, cursors }: CompleteMove): Promise<boolean> {
  return await transact(db, async (tx) => {
    const known = await knownStoreId(tx);
    if (known === to) return true;
    const recorded = await cursorsOf(tx);
    const isKnown = Object.keys(recorded).some((spoolId) => spoolId.startsWith(movedSpoolsOf(to, moveId)));
    if (known !== from || !isKnown) return false;
    await replaceMoved(tx, cursors);
    await setKnownStoreId(tx, to);
    return true;
  });
}

/**
 * Makes the file the store of all clicks. ClickHouse is marked as one that lacks clicks from now on. Can be repeated.
 * Returns false when ClickHouse has stored other clicks since.
 */
export async function handOverToFile(db: Db, { moveId, from, to, cursors }: CompleteMove): Promise<boolean> {
  return await transact(db, async (tx) => {
    if ((await knownStoreId(tx)) === to) return true;
    const recorded = withoutMoved(await cursorsOf(tx));
    if (!Bun.deepEquals(recorded, cursors)) return false;
    await tx.deleteFrom("clickBatches").execute();
    await tx.deleteFrom("clickCursors").execute();
    await replaceMoved(tx, { [movedSpoolsOf(from, moveId)]: 0 });
    await setKnownStoreId(tx, to);
    return true;
  });
}

/** True when a store in ClickHouse may lack clicks: a move into it is not handed over, or its clicks have moved away. */
export async function mayLackClicks(db: Db, storeId: string): Promise<boolean> {
  return Object.keys(await cursorsOf(db)).some((spoolId) => spoolId.startsWith(movedSpoolsOf(storeId)));
}

/** True when moves have left cursors, of whichever store in ClickHouse. */
export async function hasMovedCursors(db: Db): Promise<boolean> {
  return Object.keys(await cursorsOf(db)).some((spoolId) => spoolId.startsWith(movedPrefix));
}

async function cursorsOf(db: Db): Promise<Record<string, number>> {
  const rows = await db.selectFrom("clickCursors").select(["spoolId", "position"]).execute();
  return Object.fromEntries(rows.map(({ spoolId, position }) => [spoolId, position]));
}

async function replaceMoved(tx: Db, cursors: Readonly<Record<string, number>>): Promise<void> {
  await tx.deleteFrom("clickBatches").where("spoolId", "like", `${movedPrefix}%`).execute();
  await tx.deleteFrom("clickCursors").where("spoolId", "like", `${movedPrefix}%`).execute();
  const rows = Object.entries(cursors).map(([spoolId, position]) => ({ spoolId, position }));
  if (rows.length > 0) await tx.insertInto("clickCursors").values(rows).execute();
}
