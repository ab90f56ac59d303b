import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The number of invites that each workspace mailed on the last day on which it mailed any. */
export async function inviteMails(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("inviteMails")
    .addColumn("workspaceId", "integer", (column) =>
      column.primaryKey().references("workspaces.id").onDelete("cascade"),
    )
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("mails", "integer", (column) => column.notNull())
    .execute();
}
