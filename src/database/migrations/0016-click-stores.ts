import type { Migration } from "kysely";
import type { Engine } from "../engine.ts";
import { columnTypes } from "./0001-foundation.ts";

/** Which file clicks are stored in, and what is known to be missing from the files that took its place. */
export function clickStores(engine: Engine): Migration {
  const { text, instant } = columnTypes(engine);
  return {
    async up(db) {
      await db.schema
        .createTable("clickStores")
        .addColumn("storeId", text, (column) => column.primaryKey())
        .execute();
      await db.schema
        .createTable("clickStoreLosses")
        .addColumn("storeId", text, (column) => column.notNull())
        .addColumn("kind", text, (column) => column.notNull())
        .addColumn("bytes", instant, (column) => column.notNull())
        .addColumn("foundAt", instant, (column) => column.notNull())
        .addPrimaryKeyConstraint("clickStoreLossesPrimary", ["storeId", "kind"])
        .execute();
    },
  };
}
