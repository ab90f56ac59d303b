import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** POST requests with an Idempotency-Key, and their responses. */
export async function idempotency(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("idempotentCalls")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("contents", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("status", "integer")
    .addColumn("body", text)
    .addColumn("at", instant, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("idempotentCallsByAge").on("idempotentCalls").column("at").execute();
  await db.schema.createIndex("idempotentCallsByWorkspace").on("idempotentCalls").column("workspaceId").execute();
}
