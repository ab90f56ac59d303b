import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** How long workspaces keep individual clicks, and the links whose clicks are being purged. */
export async function retention(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("workspaces").addColumn("clickRetentionDays", "integer").execute();
  await db.schema.alterTable("workspaces").addColumn("clicksExpiredTo", instant).execute();
  await db.schema
    .createTable("purges")
    .addColumn("linkId", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("before", instant, (column) => column.notNull())
    .addColumn("isErased", "integer", (column) => column.notNull())
    .addColumn("spoolEnds", text)
    .execute();
  await db.schema.createIndex("purgesByWorkspace").on("purges").column("workspaceId").execute();
}
