import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Whether an owner has been subscribed to the alerts that owners get by default, and an index of failing domains. */
export async function ownerAlerts(db: Kysely<unknown>, _types: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("members")
    .addColumn("hasDefaultAlerts", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`create index "domainsFailing" on "domains" ("workspaceId") where "status" = 'failing'`.execute(db);
}
