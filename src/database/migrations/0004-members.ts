import { type ColumnBuilderCallback, type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Invites, uploaded avatars, and the unfinished erasures of deleted workspaces. */
export async function members(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  const required: ColumnBuilderCallback = (column) => column.notNull();
  const workspace: ColumnBuilderCallback = (column) => column.notNull().references("workspaces.id").onDelete("cascade");

  await db.schema
    .createTable("invites")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", workspace)
    .addColumn("userId", text, (column) => column.references("users.id").onDelete("set null"))
    .addColumn("email", text)
    .addColumn("role", text, required)
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("expiresAt", instant, required)
    .addColumn("createdAt", instant, required)
    .execute();
  await db.schema.createIndex("invitesByWorkspace").on("invites").columns(["workspaceId", "id"]).execute();
  await db.schema.createIndex("invitesByExpiry").on("invites").column("expiresAt").execute();

  await db.schema
    .createTable("avatars")
    .addColumn("file", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => workspace(column).unique())
    .addColumn("type", text, required)
    .addColumn("image", text, required)
    .execute();

  // No foreign key: the row outlives its workspace.
  await db.schema
    .createTable("erasures")
    .addColumn("workspaceId", "integer", (column) => column.primaryKey())
    .addColumn("requestedAt", instant, required)
    .addColumn("eventsTo", "integer", required)
    .addColumn("eventsScanned", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("spoolEnds", text)
    .execute();

  await sql`create index "apiKeysByUser" on "apiKeys" ("userId", "workspaceId")`.execute(db);
}
