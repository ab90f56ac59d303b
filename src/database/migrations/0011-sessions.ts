import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Sessions of signed-in browsers, and the access tokens that these browsers call the API with. */
export async function sessions(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("sessions")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("label", text, (column) => column.notNull())
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addColumn("lastSeenAt", instant, (column) => column.notNull())
    .addColumn("expiresAt", instant, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("sessionsByUser").on("sessions").column("userId").execute();
  await db.schema
    .createTable("accessTokens")
    .addColumn("hash", text, (column) => column.primaryKey())
    .addColumn("sessionId", text, (column) => column.notNull().references("sessions.id").onDelete("cascade"))
    .addColumn("expiresAt", instant, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("accessTokensBySession").on("accessTokens").column("sessionId").execute();
}
