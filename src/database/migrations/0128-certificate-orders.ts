import type { Kysely } from "kysely";

/** The workspace of each certificate's last order; see certificates/due-certificates.ts. */
export async function certificateOrders(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("certificates").addColumn("orderedFor", "integer").execute();
}
