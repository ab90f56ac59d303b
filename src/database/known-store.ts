import type { Db } from "./database.ts";

/** The id of the store that holds the stored clicks; undefined before the first one, and after an accepted loss. */
export async function knownStoreId(db: Db): Promise<string | undefined> {
  return (await db.selectFrom("clickStores").select("storeId").executeTakeFirst())?.storeId;
}

/** Remembers which store holds the stored clicks. Call it in a transaction. */
export async function setKnownStoreId(db: Db, storeId: string): Promise<void> {
  await db.deleteFrom("clickStores").execute();
  await db.insertInto("clickStores").values({ storeId }).execute();
}
