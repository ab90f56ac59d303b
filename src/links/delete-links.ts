import type { Actor } from "../access/actor.ts";
import { lockLinkCount, subtractLinks } from "../access/link-count.ts";
import type { Clock } from "../base/time.ts";
import { yieldIfSliceSpent } from "../base/time-slices.ts";
import type { Db } from "../database/database.ts";
import { emitAll } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { rootKey } from "../domains/domain.ts";
import { findAccessColumns, lockLinks } from "./find-links.ts";
import { requireLinkWriter } from "./link-access.ts";
import { linkDeleted } from "./link-events.ts";
import { releaseKeys } from "./released-keys.ts";

/** Links that one call may delete: as many ids as fit into a request head of 16 KiB. */
export const deletedLinksMax = 400;
/**
 * Links deleted in one transaction. SQLite overwrites their bytes, about 250 KiB each, and writes as many into their
 * events. A commit of ten links takes 8 ms, in which no visitor gets a response.
 */
const partLinksMax = 10;

type Deps = { db: Db; now: Clock };

/**
 * Deletes links of the actor's workspace permanently and returns how many there were. `ids` may hold `ext_` names;
 * unknown names and root links are skipped. Links are deleted in batches, each in its own transaction; after an
 * interruption the caller can repeat the call. Throws "forbidden" like requireLinkWriter.
 */
export async function deleteLinks(deps: Deps, actor: Actor, ids: readonly string[]): Promise<number> {
  // Checked before the first batch, so that a refused call deletes nothing.
  if (ids.length > partLinksMax && actor.role !== "owner") await requireLinksWriter(deps.db, actor, ids);
  let deleted = 0;
  for (let start = 0; start < ids.length; start += partLinksMax) {
    await yieldIfSliceSpent();
    deleted += await deletePart(deps, actor, ids.slice(start, start + partLinksMax));
  }
  return deleted;
}

/** Reads nothing for owners, who may delete every link. */
async function requireLinksWriter(db: Db, actor: Actor, ids: readonly string[]): Promise<void> {
  const links = await findAccessColumns(db, actor.workspaceId, ids);
  await requireLinkWriter(
    db,
    actor,
    links.filter(({ key }) => key !== rootKey),
  );
}

async function deletePart({ db, now }: Deps, actor: Actor, ids: readonly string[]): Promise<number> {
  return await transact(db, async (tx) => {
    await lockLinkCount(tx, actor.workspaceId);
    const links = (await lockLinks(tx, actor.workspaceId, ids)).filter(({ key }) => key !== rootKey);
    if (links.length === 0) return 0;
    await requireLinkWriter(tx, actor, links);
    const at = now();
    await tx
      .deleteFrom("links")
      .where(
        "id",
        "in",
        links.map(({ id }) => id),
      )
      .execute();
    await subtractLinks(tx, actor.workspaceId, links.length);
    await releaseKeys(tx, links, { reason: "deleted", now: at });
    await emitAll(tx, links, (link) => linkDeleted(actor, link, at));
    return links.length;
  });
}
