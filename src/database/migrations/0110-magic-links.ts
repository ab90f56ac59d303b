import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** One-time links by mail that sign people in. */
export async function magicLinks(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("magicLinks")
    .addColumn("hash", text, (column) => column.primaryKey())
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("email", text, (column) => column.notNull())
    .addColumn("browserHash", text, (column) => column.notNull())
    .addColumn("expiresAt", instant, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("magicLinksByUser").on("magicLinks").column("userId").execute();
  await db.schema.createIndex("magicLinksByExpiry").on("magicLinks").column("expiresAt").execute();
}
