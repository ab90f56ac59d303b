import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The id of the file that clicks are stored in, and the known losses of files that replaced it. */
export async function clickStores(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
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
}
