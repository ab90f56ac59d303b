import { type ColumnBuilderCallback, type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Tags and folders of links. */
export async function tagsAndFolders(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  const required: ColumnBuilderCallback = (column) => column.notNull();
  const workspace: ColumnBuilderCallback = (column) => column.notNull().references("workspaces.id").onDelete("cascade");

  await db.schema
    .createTable("folders")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", workspace)
    .addColumn("name", text, required)
    .addColumn("foldedName", text, required)
    .addColumn("description", text)
    .addColumn("accessLevel", text)
    .addColumn("createdAt", instant, required)
    .addColumn("updatedAt", instant, required)
    .execute();
  await db.schema.createIndex("foldersByName").unique().on("folders").columns(["workspaceId", "foldedName"]).execute();

  await db.schema
    .createTable("tags")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", workspace)
    .addColumn("name", text, required)
    .addColumn("foldedName", text, required)
    .addColumn("color", text, required)
    .addColumn("createdAt", instant, required)
    .execute();
  await db.schema.createIndex("tagsByName").unique().on("tags").columns(["workspaceId", "foldedName"]).execute();

  await db.schema
    .createTable("linkTags")
    .addColumn("linkId", text, (column) => column.notNull().references("links.id").onDelete("cascade"))
    .addColumn("tagId", text, (column) => column.notNull().references("tags.id").onDelete("cascade"))
    .addColumn("position", "integer", required)
    .addPrimaryKeyConstraint("linkTagsPrimary", ["linkId", "tagId"])
    .execute();
  await db.schema.createIndex("linkTagsByTag").on("linkTags").columns(["tagId", "linkId"]).execute();

  await db.schema
    .alterTable("links")
    .addColumn("folderId", text, (column) => column.references("folders.id").onDelete("set null"))
    .execute();
  // A partial index, because most links are in no folder.
  await sql`create index "linksByFolder" on "links" ("folderId", "id") where "folderId" is not null`.execute(db);
}
