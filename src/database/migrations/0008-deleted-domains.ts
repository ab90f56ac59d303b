import { type Kysely, sql } from "kysely";

/** Finds the domains that were deleted and still have links. */
export async function deletedDomains(db: Kysely<unknown>): Promise<void> {
  await sql`create index "domainsDeleted" on "domains" ("workspaceId") where "slug" = "id"`.execute(db);
}
