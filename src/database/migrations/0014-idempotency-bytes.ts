import type { Kysely } from "kysely";

/** How many bytes each stored response takes, so that a workspace's sum is read from an index. */
export async function idempotencyBytes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("idempotentCalls")
    .addColumn("bytes", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.dropIndex("idempotentCallsByWorkspace").execute();
  await db.schema
    .createIndex("idempotentCallsByWorkspace")
    .on("idempotentCalls")
    .columns(["workspaceId", "bytes"])
    .execute();
}
