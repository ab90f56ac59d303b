import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Saved views: named filters of the list of links, private or shared with the workspace. */
export async function savedViews(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("savedViews")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("userId", text, (column) => column.notNull())
    .addColumn("isShared", "integer", (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("query", text, (column) => column.notNull())
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addColumn("updatedAt", instant, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("savedViewsByUser")
    .on("savedViews")
    .columns(["workspaceId", "isShared", "userId"])
    .execute();
}
