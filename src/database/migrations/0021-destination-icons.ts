import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The icons of links' destinations. */
export async function destinationIcons(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("destinationIcons")
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("origin", text, (column) => column.notNull())
    .addColumn("type", text)
    .addColumn("image", text)
    .addColumn("fetchedAt", instant, (column) => column.notNull())
    .addPrimaryKeyConstraint("destinationIconsPrimary", ["workspaceId", "origin"])
    .execute();
  await db.schema.createIndex("destinationIconsByFetch").on("destinationIcons").column("fetchedAt").execute();
}
