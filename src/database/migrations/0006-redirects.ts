import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** What redirects need beyond links themselves: how often limited ones were clicked, and which domains forward paths. */
export async function redirects(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("linkUses")
    .addColumn("linkId", text, (column) => column.primaryKey().references("links.id").onDelete("cascade"))
    .addColumn("uses", "integer", (column) => column.notNull())
    .execute();
  await sql`create index "linksForwarding" on "links" ("domainId") where "forwardPath" = 1`.execute(db);
}
