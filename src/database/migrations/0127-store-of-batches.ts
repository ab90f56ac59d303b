import type { Kysely } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The store in ClickHouse that has the numbered batches; see clicks/stores/clickhouse/batch-log.ts. */
export async function storeOfBatches(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("clickBatchCounter").addColumn("storeId", text).execute();
}
