import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/**
 * With clicks in ClickHouse: the end of each spool's stored clicks, the batches that were inserted or are being
 * inserted, and the number of the last one; see clicks/stores/clickhouse/batch-log.ts.
 */
export async function clickBatches(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("clickCursors")
    .addColumn("spoolId", text, (column) => column.primaryKey())
    .addColumn("position", instant, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("clickBatches")
    .addColumn("number", instant, (column) => column.primaryKey())
    .addColumn("spoolId", text, (column) => column.notNull())
    .addColumn("from", instant, (column) => column.notNull())
    .addColumn("to", instant, (column) => column.notNull())
    .addColumn("isStored", "integer", (column) => column.notNull())
    .addColumn("recordedAt", instant, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("clickBatchesBySpool").on("clickBatches").columns(["spoolId", "from"]).execute();
  await sql`create unique index "clickBatchesOpen" on "clickBatches" ("spoolId") where "isStored" = 0`.execute(db);
  await db.schema
    .createTable("clickBatchCounter")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("last", instant, (column) => column.notNull())
    .execute();
  await sql`insert into "clickBatchCounter" ("name", "last") values ('batches', 0)`.execute(db);
}
