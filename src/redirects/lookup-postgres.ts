import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { chooseDomain, domainColumns, domainTarget, hasLogo, type Lookup, linkColumns, linkTarget } from "./lookup.ts";

/**
 * Look-ups that ask PostgreSQL each time: several nodes may change links, so nothing is remembered here.
 * A cache that listens for changes pays off once redirects per second on PostgreSQL matter more than this simplicity.
 */
export function openPostgresLookup(db: Db): Lookup {
  return {
    async domain(host) {
      const row = chooseDomain(
        await db
          .selectFrom("domains")
          .select(domainColumns)
          .select(sql<boolean | null>`${sql.raw(hasLogo)}`.as("hasLogo"))
          .where("slug", "=", host)
          .where("workspaceId", "not in", deleted(db))
          .execute(),
      );
      return row === undefined ? undefined : domainTarget(row);
    },
    async link(domainId, foldedKey) {
      const row = await db
        .selectFrom("links")
        .select(linkColumns)
        .where("domainId", "=", domainId)
        .where("foldedKey", "=", foldedKey)
        .where("workspaceId", "not in", deleted(db))
        .executeTakeFirst();
      return row === undefined ? undefined : linkTarget(row);
    },
    close() {},
  };
}

/** Workspaces that were deleted and still have links and domains; mostly none. */
function deleted(db: Db) {
  return db.selectFrom("erasures").select("workspaceId");
}
