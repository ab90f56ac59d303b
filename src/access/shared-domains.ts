import type { Tx } from "../database/outbox.ts";

/**
 * A domain of the workspace on which other workspaces have links, if any; `domainId` restricts the search to one. Only
 * former domains of the instance can have such links; none can be added any more, so no lock is needed.
 */
export async function findSharedDomain(
  tx: Tx,
  workspaceId: number,
  domainId?: string,
): Promise<{ slug: string } | undefined> {
  const own = tx.selectFrom("domains").select("slug").where("workspaceId", "=", workspaceId);
  return await (domainId === undefined ? own : own.where("id", "=", domainId))
    // Checks each other workspace, because links are indexed by workspace and domain.
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
