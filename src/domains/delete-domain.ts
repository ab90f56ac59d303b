import type { Actor } from "../access/actor.ts";
import { refuseBlockedDomain } from "../access/blocks.ts";
import { requireDomainLinksWriter } from "../access/folder-access.ts";
import { subtractLinks } from "../access/link-count.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { rootKey } from "./domain.ts";
import { findOwnDomain, makeOldestPrimary, newToken, refuseWithForeignLinks } from "./domains.ts";

/**
 * Deletes a domain, which may have a million links.
 *
 * 1. The deletion only replaces the domain's slug by its id, which is no host name: visitors, callers and lookups then
 *    skip the domain, and its slug is free. Such a slug is also the only record that there is more to delete.
 * 2. The links are deleted in small batches, so that visitors and other writers never wait long. They emit no events,
 *    and their clicks still count in the workspace's totals.
 * 3. A domain with fewer links than a batch is gone when the call returns.
 *
 * Known weakness: on SQLite about one batch in forty takes 300 to 500 ms (with both cores busy), because the search
 * index merges what deletions have left in it; without its trigger no batch took more than 72 ms. Other deletions of
 * links pay the same. Merging in small steps in the counters' thread would fix it, if large deletions ever become
 * common.
 */

/** Links deleted in one batch; each has rows in half a dozen indexes. */
export const linksPerPartMax = 100;
/** Released keys of the domain deleted in one batch. */
const keysPerPartMax = 1_000;

type Deps = { db: Db; now: Clock };

/**
 * Deletes a domain and all its links. If it was primary, the workspace's oldest other domain becomes primary.
 * Guarantee: on return, none of its links redirects or is found by id, by key, in a list or in a count. Their
 * externalIds are free once eraseNextDomainPart has deleted them.
 * Throws "not_found"; "forbidden" for the instance's domain, while other workspaces have links on it, and for members
 * while one of its links is in a folder for owners.
 */
export async function deleteDomain({ db, now }: Deps, actor: Actor, slug: string): Promise<{ slug: string }> {
  return await transact(db, async (tx) => {
    await lockWorkspace(tx, actor.workspaceId);
    const domain = await findOwnDomain(tx, actor.workspaceId, slug);
    if (domain.isInstance === 1) {
      throw new Problem("forbidden", `${domain.slug} is this service's own domain; it cannot be deleted.`);
    }
    await refuseBlockedDomain(tx, domain.slug);
    await refuseWithForeignLinks(tx, domain);
    await requireDomainLinksWriter(tx, actor, domain.id);
    const at = now();
    await tx
      .updateTable("domains")
      // The new token keeps a running check from storing its verdict.
      .set({ slug: domain.id, status: "pending", failingSince: null, token: newToken(), primary: 0, updatedAt: at })
      .where("id", "=", domain.id)
      .execute();
    await emit(tx, eventBy(actor, "domain.deleted", domain.id, at, { slug: domain.slug }));
    if (domain.primary === 1) await makeOldestPrimary(tx, actor, at);
    await erasePart(tx, domain.id);
    return { slug: domain.slug };
  });
}

/**
 * Deletes a batch of the rows of deleted domains; "again" while some are left. Safe to repeat after any interruption.
 */
export async function eraseNextDomainPart({ db }: Pick<Deps, "db">): Promise<"again" | "idle"> {
  const domain = await db.selectFrom("domains").select("id").whereRef("slug", "=", "id").limit(1).executeTakeFirst();
  if (domain === undefined) return "idle";
  await transact(db, (tx) => erasePart(tx, domain.id));
  return "again";
}

async function erasePart(tx: Tx, id: string): Promise<void> {
  const part = tx.selectFrom("links").select("id").where("domainId", "=", id).limit(linksPerPartMax);
  const links = await tx.deleteFrom("links").where("id", "in", part).returning(["workspaceId", "foldedKey"]).execute();
  await subtractCounted(tx, links);
  if (links.length >= linksPerPartMax) return;
  const keys = tx.selectFrom("releasedKeys").select("foldedKey").where("domainId", "=", id).limit(keysPerPartMax);
  const released = await tx
    .deleteFrom("releasedKeys")
    .where("domainId", "=", id)
    .where("foldedKey", "in", keys)
    .executeTakeFirstOrThrow();
  if (released.numDeletedRows >= keysPerPartMax) return;
  await tx.deleteFrom("domains").where("id", "=", id).execute();
}

/** Subtracts the deleted links from the stored numbers of links, which do not count root links. */
async function subtractCounted(tx: Tx, links: readonly { workspaceId: number; foldedKey: string }[]): Promise<void> {
  const counted = Map.groupBy(
    links.filter(({ foldedKey }) => foldedKey !== rootKey),
    ({ workspaceId }) => workspaceId,
  );
  for (const [workspaceId, ofWorkspace] of counted) await subtractLinks(tx, workspaceId, ofWorkspace.length);
}
