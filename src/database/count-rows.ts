import type { SelectQueryBuilder } from "kysely";
import type { Schema } from "./schema.ts";

/** The number of rows of a query that selects no column yet. */
export async function countRows<Table extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Table, object>,
): Promise<number> {
  const { count } = await query.select((select) => select.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  return count;
}
