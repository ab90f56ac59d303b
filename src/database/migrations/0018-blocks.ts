import type { Migration } from "kysely";
import type { Engine } from "../engine.ts";
import { columnTypes } from "./0001-foundation.ts";

/** What the operator has blocked. */
export function blocks(engine: Engine): Migration {
  const { id, text, instant, growing } = columnTypes(engine);
  return {
    async up(db) {
      await db.schema
        .createTable("blocks")
        .addColumn("id", id, growing)
        .addColumn("kind", text, (column) => column.notNull())
        .addColumn("target", text, (column) => column.notNull())
        .addColumn("reason", text, (column) => column.notNull())
        .addColumn("createdAt", instant, (column) => column.notNull())
        .addUniqueConstraint("blocksByTarget", ["kind", "target"])
        .execute();
    },
  };
}
