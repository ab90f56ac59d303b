import type { Kysely } from "kysely";

/**
 * Marks the released keys of deleted links, which stay until a link uses them again. Those of renamed links stay for a
 * day, as before.
 */
export async function deletedKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("releasedKeys")
    .addColumn("isDeleted", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
