import type { Migration } from "kysely";
import type { Engine } from "../engine.ts";
import { columnTypes } from "./0001-foundation.ts";

/** How many invites each workspace has mailed, on the last day that it mailed any. */
export function inviteMails(engine: Engine): Migration {
  const { text } = columnTypes(engine);
  return {
    async up(db) {
      await db.schema
        .createTable("inviteMails")
        .addColumn("workspaceId", "integer", (column) =>
          column.primaryKey().references("workspaces.id").onDelete("cascade"),
        )
        .addColumn("day", text, (column) => column.notNull())
        .addColumn("mails", "integer", (column) => column.notNull())
        .execute();
    },
  };
}
