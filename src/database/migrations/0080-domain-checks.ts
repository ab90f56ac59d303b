import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The schedule and the history of the checks of domains. Every domain is due at once. */
export async function domainChecks(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("domains")
    .addColumn("nextCheckAt", instant, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable("domains")
    .addColumn("unansweredChecks", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.dropIndex("domainsByCheck").execute();
  await db.schema.createIndex("domainsByNextCheck").on("domains").column("nextCheckAt").execute();
  await db.schema
    .createTable("domainChecks")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("domainId", text, (column) => column.notNull().references("domains.id").onDelete("cascade"))
    .addColumn("outcome", text, (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("message", text, (column) => column.notNull())
    .addColumn("checks", "integer", (column) => column.notNull())
    .addColumn("firstAt", instant, (column) => column.notNull())
    .addColumn("lastAt", instant, (column) => column.notNull())
    .execute();
  await sql`create index "domainChecksByDomain" on "domainChecks" ("domainId", "lastAt")`.execute(db);
}
