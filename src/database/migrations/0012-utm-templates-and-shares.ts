import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** UTM templates, which are named sets of UTM parameters, and shares. */
export async function utmTemplatesAndShares(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("utmTemplates")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("foldedName", text, (column) => column.notNull())
    .addColumn("utm_source", text)
    .addColumn("utm_medium", text)
    .addColumn("utm_campaign", text)
    .addColumn("utm_term", text)
    .addColumn("utm_content", text)
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addColumn("updatedAt", instant, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("utmTemplatesByName")
    .unique()
    .on("utmTemplates")
    .columns(["workspaceId", "foldedName"])
    .execute();
  await db.schema
    .createTable("shares")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("token", text, (column) => column.notNull().unique())
    .addColumn("name", text)
    .addColumn("linkId", text, (column) => column.references("links.id").onDelete("cascade"))
    .addColumn("folderId", text, (column) => column.references("folders.id").onDelete("cascade"))
    .addColumn("passwordHash", text)
    .addColumn("expiresAt", instant)
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addColumn("updatedAt", instant, (column) => column.notNull())
    .execute();
  for (const column of ["workspaceId", "linkId", "folderId"] as const) {
    await db.schema.createIndex(`sharesBy_${column}`).on("shares").column(column).execute();
  }
}
