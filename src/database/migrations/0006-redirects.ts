import { type Migration, sql } from "kysely";
import type { Engine } from "../engine.ts";

/** What redirects need beyond links themselves: how often limited ones were clicked, and which domains forward paths. */
export function redirects(engine: Engine): Migration {
  const text = engine === "postgres" ? sql`text collate "C"` : "text";
  return {
    async up(db) {
      await db.schema
        .createTable("linkUses")
        .addColumn("linkId", text, (column) => column.primaryKey().references("links.id").onDelete("cascade"))
        .addColumn("uses", "integer", (column) => column.notNull())
        .execute();
      await sql`create index "linksForwarding" on "links" ("domainId") where "forwardPath" = 1`.execute(db);
    },
  };
}
