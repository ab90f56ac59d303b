import type { Actor } from "../access/actor.ts";
import { refuseBlockedDomain } from "../access/blocks.ts";
import { requireDomainLinksWriter } from "../access/folder-access.ts";
import { lockWorkspace } from "../access/workspaces.ts";
import { Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { findOwnDomain, makeOldestPrimary, newToken, refuseWithForeignLinks } from "./domains.ts";

/**
 * Deleting a domain, which may have a million links.
 *
 * 1. The deletion itself only gives the domain its id as slug, which no host is: from then on visitors, callers and
 *    look-ups pass over it, and its slug is free. That it has such a slug is also the only memory of what is left to do.
 * 2. Its links go in small parts, so that visitors and other writers wait for none of them for long. They go without
 *    events of their own, and their clicks stay in the workspace's totals.
 * 3. A domain of fewer links than a part holds is gone with the answer.
 *
 * Known weakness: on SQLite about one part in forty takes 300 to 500 ms (with both cores busy), since the search index
 * merges what deletions have left in it; without its trigger none took more than 72 ms. Links deleted in any other way
 * pay the same. Merging it bit by bit in the counters' thread would mend it, once somebody deletes that much by day.
 */

/** Links deleted in one part, of which each has rows in half a dozen indices. */
export const linksPerPartMax = 100;
/** Keys given up on the domain that are forgotten in one part. */
const keysPerPartMax = 1_000;

type Deps = { db: Db; now: Clock };

/**
 * Deletes a domain and all its links; when it was primary, the workspace's oldest other domain becomes it.
 * Guarantee: on return none of its links redirects or is found by id, by key, in a list or in a count. An externalId of
 * theirs is free once eraseNextDomainPart has come to it.
 * Throws "not_found"; "forbidden" for the instance's domain, while other workspaces have links on it, and for members
 * while one of its links is in a folder for owners only.
 */
export async function deleteDomain({ db, now }: Deps, actor: Actor, slug: string): Promise<{ slug: string }> {
  return await transact(db, async (tx) => {
    await lockWorkspace(tx, actor.workspaceId);
    const domain = await findOwnDomain(tx, actor.workspaceId, slug);
    if (domain.isInstance === 1) {
      throw new Problem("forbidden", `${domain.slug} is this instance's own domain; it cannot be deleted.`);
    }
    await refuseBlockedDomain(tx, domain.slug);
    await refuseWithForeignLinks(tx, domain);
    await requireDomainLinksWriter(tx, actor, domain.id);
    const at = now();
    await tx
      .updateTable("domains")
      // With another token, a check that is under way finds nothing to store its verdict over.
      .set({ slug: domain.id, status: "pending", failingSince: null, token: newToken(), primary: 0, updatedAt: at })
      .where("id", "=", domain.id)
      .execute();
    await emit(tx, {
      workspaceId: actor.workspaceId,
      type: "domain.deleted",
      objectId: domain.id,
      userId: actor.userId,
      at,
      data: { slug: domain.slug },
    });
    if (domain.primary === 1) await makeOldestPrimary(tx, actor, at);
    await erasePart(tx, domain.id);
    return { slug: domain.slug };
  });
}

/** Deletes a part of what deleted domains have left; "again" while anything is. Safe to repeat, whatever stopped it. */
export async function eraseNextDomainPart({ db }: Pick<Deps, "db">): Promise<"again" | "idle"> {
  const domain = await db.selectFrom("domains").select("id").whereRef("slug", "=", "id").limit(1).executeTakeFirst();
  if (domain === undefined) return "idle";
  await transact(db, (tx) => erasePart(tx, domain.id));
  return "again";
}

async function erasePart(tx: Tx, id: string): Promise<void> {
  const part = tx.selectFrom("links").select("id").where("domainId", "=", id).limit(linksPerPartMax);
  const links = await tx.deleteFrom("links").where("id", "in", part).executeTakeFirstOrThrow();
  if (links.numDeletedRows >= linksPerPartMax) return;
  const keys = tx.selectFrom("releasedKeys").select("foldedKey").where("domainId", "=", id).limit(keysPerPartMax);
  const released = await tx
    .deleteFrom("releasedKeys")
    .where("domainId", "=", id)
    .where("foldedKey", "in", keys)
    .executeTakeFirstOrThrow();
  if (released.numDeletedRows >= keysPerPartMax) return;
  await tx.deleteFrom("domains").where("id", "=", id).execute();
}
