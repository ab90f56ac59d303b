import type { Tx } from "../database/outbox.ts";

/**
 * A domain of the workspace on which other workspaces have links, where there is one; `domainId` asks about one alone.
 * Only domains that were once the instance's may have some; none can be added any more, so nothing has to be locked.
 */
export async function findSharedDomain(
  tx: Tx,
  workspaceId: number,
  domainId?: string,
): Promise<{ slug: string } | undefined> {
  const own = tx.selectFrom("domains").select("slug").where("workspaceId", "=", workspaceId);
  return await (domainId === undefined ? own : own.where("id", "=", domainId))
    // By each other workspace, since links are found by workspace and domain without reading all that a domain has.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("workspaces")
          .select("workspaces.id")
          .where("workspaces.id", "<>", workspaceId)
          .where((where) =>
            where.exists(
              where
                .selectFrom("links")
                .select("links.id")
                .whereRef("links.workspaceId", "=", "workspaces.id")
                .whereRef("links.domainId", "=", "domains.id"),
            ),
          ),
      ),
    )
    .limit(1)
    .executeTakeFirst();
}
