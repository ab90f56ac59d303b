import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The nodes that share the database, their spools, and which node runs the tasks that one node runs for all. */
export async function nodes(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("nodes")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("host", text, (column) => column.notNull())
    .addColumn("version", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("seenAt", instant, (column) => column.notNull())
    .addColumn("copyAt", instant)
    .execute();
  await db.schema
    .createTable("nodeSpools")
    .addColumn("spoolId", text, (column) => column.primaryKey())
    .addColumn("nodeId", text, (column) => column.notNull())
    .addColumn("end", instant, (column) => column.notNull())
    .addColumn("stored", instant, (column) => column.notNull())
    .addColumn("counted", instant, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("nodeSpoolsByNode").on("nodeSpools").column("nodeId").execute();
  await db.schema
    .createTable("leaders")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("nodeId", text, (column) => column.notNull())
    .addColumn("token", instant, (column) => column.notNull())
    .execute();
}
