import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Accounts of identity providers that sign users in, and memberships that follow their groups. */
export async function identities(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("identities")
    .addColumn("issuer", text, (column) => column.notNull())
    .addColumn("subject", text, (column) => column.notNull())
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addPrimaryKeyConstraint("identitiesPrimary", ["issuer", "subject"])
    .execute();
  await db.schema.createIndex("identitiesByUser").on("identities").column("userId").execute();
  await db.schema
    .alterTable("members")
    .addColumn("isMapped", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable("magicLinks")
    .addColumn("method", text, (column) => column.notNull().defaultTo("link"))
    .execute();
}
