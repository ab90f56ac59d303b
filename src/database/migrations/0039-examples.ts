import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Example workspaces, at most one for each user. */
export async function examples(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("examples")
    .addColumn("workspaceId", "integer", (column) =>
      column.primaryKey().references("workspaces.id").onDelete("cascade"),
    )
    .addColumn("userId", text, (column) => column.notNull().unique().references("users.id").onDelete("cascade"))
    .addColumn("spoolId", text, (column) => column.notNull())
    .addColumn("createdAt", instant, (column) => column.notNull())
    .addColumn("filledAt", instant)
    .execute();
}
