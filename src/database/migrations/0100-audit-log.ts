import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The audit logs of workspaces. Changes before the upgrade are not in them. */
export async function auditLog(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("auditEntries")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull())
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("type", text, (column) => column.notNull())
    .addColumn("objectId", text, (column) => column.notNull())
    .addColumn("objectName", text)
    .addColumn("userId", text)
    .addColumn("apiKeyId", text)
    .addColumn("at", instant, (column) => column.notNull())
    .addColumn("before", text)
    .addColumn("after", text)
    .execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on("auditEntries").columns(columns).execute();
  await index("auditEntriesByWorkspace", ["workspaceId", "at", "id"]);
  await index("auditEntriesByKind", ["workspaceId", "kind", "at", "id"]);
  await index("auditEntriesByUser", ["workspaceId", "userId", "at", "id"]);
  await index("auditEntriesByTime", ["at"]);
}
