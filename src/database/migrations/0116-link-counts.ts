import type { Kysely } from "kysely";

/** The numbers of links of workspaces with a limit; see access/link-count.ts. */
export async function linkCounts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workspaces").addColumn("linkCount", "integer").execute();
}
