import { type Migration, sql } from "kysely";

/** Finds the domains that were deleted and still have links. */
export const deletedDomains: Migration = {
  async up(db) {
    await sql`create index "domainsDeleted" on "domains" ("workspaceId") where "slug" = "id"`.execute(db);
  },
};
