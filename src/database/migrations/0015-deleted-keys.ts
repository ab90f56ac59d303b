import type { Kysely } from "kysely";

/** Keys of deleted links are remembered until a link uses them again; those of renamed links for a day, as before. */
export async function deletedKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("releasedKeys")
    .addColumn("isDeleted", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
