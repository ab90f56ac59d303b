import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Passkeys, and the passkey with which a session began. */
export async function passkeys(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("passkeys")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("host", text, (column) => column.notNull())
    .addColumn("credentialId", text, (column) => column.notNull())
    .addColumn("publicKey", text, (column) => column.notNull())
    // Up to 2^32 - 1, which needs the range of an instant.
    .addColumn("counter", instant, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addColumn("lastUsedAt", instant)
    .execute();
  await db.schema.createIndex("passkeysByCredential").on("passkeys").columns(["credentialId"]).unique().execute();
  await db.schema.createIndex("passkeysByUser").on("passkeys").column("userId").execute();
  await db.schema.alterTable("sessions").addColumn("passkeyId", text).execute();
}
