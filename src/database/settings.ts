import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** The value of a setting of the instance; undefined for none. */
export async function readSetting(db: Kysely<Schema>, name: string): Promise<string | undefined> {
  const row = await db.selectFrom("settings").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value;
}

/** Stores a setting of the instance unless it has a value, and returns the value: all callers get that of the first. */
export async function settleSetting(db: Kysely<Schema>, name: string, value: string): Promise<string> {
  await db
    .insertInto("settings")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  return (await readSetting(db, name)) ?? value;
}

/** Stores a setting of the instance; replaces an earlier value. */
export async function storeSetting(db: Kysely<Schema>, name: string, value: string): Promise<void> {
  await db
    .insertInto("settings")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
