import { type Kysely, sql } from "kysely";

/** How the numbers of links change while they are counted; see access/link-count.ts. */
export async function linkCountChanges(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workspaces").addColumn("linkCountChange", "integer").execute();
  await sql`create index "workspacesInCount" on "workspaces" ("id") where "linkCountChange" is not null`.execute(db);
}
