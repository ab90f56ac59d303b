import type { Db } from "../database/database.ts";

/**
 * Selects the domains whose names belong to this instance, and so may have a certificate: the instance's host and those
 * that a workspace has proven. The domains of examples and of deleted workspaces are left out.
 */
export function provenDomains(db: Db) {
  return db
    .selectFrom("domains")
    .where("status", "<>", "pending")
    .whereRef("slug", "<>", "id")
    .where("workspaceId", "not in", (where) => where.selectFrom("erasures").select("workspaceId"))
    .where("workspaceId", "not in", (where) => where.selectFrom("examples").select("workspaceId"));
}
