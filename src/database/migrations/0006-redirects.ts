import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The number of clicks of each link with a click limit, and an index that finds domains whose links forward paths. */
export async function redirects(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("linkUses")
    .addColumn("linkId", text, (column) => column.primaryKey().references("links.id").onDelete("cascade"))
    .addColumn("uses", "integer", (column) => column.notNull())
    .execute();
  await sql`create index "linksForwarding" on "links" ("domainId") where "forwardPath" = 1`.execute(db);
}
