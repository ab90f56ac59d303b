import type { Migration } from "kysely";
import type { Engine } from "../engine.ts";
import { columnTypes } from "./0001-foundation.ts";

/** Whether destinations let themselves be framed, and whose have to be asked. */
export function framing(engine: Engine): Migration {
  const { text, instant } = columnTypes(engine);
  return {
    async up(db) {
      await db.schema.alterTable("links").addColumn("framing", text).execute();
      await db.schema
        .createTable("framingChecks")
        .addColumn("linkId", text, (column) => column.primaryKey().references("links.id").onDelete("cascade"))
        .addColumn("dueAt", instant, (column) => column.notNull())
        .addColumn("tries", "integer", (column) => column.notNull())
        .execute();
      await db.schema.createIndex("framingChecksByTime").on("framingChecks").column("dueAt").execute();
    },
  };
}
