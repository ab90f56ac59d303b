import type { Actor } from "../access/actor.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { rootKey } from "../domains/domains.ts";
import { lockLinks } from "./find-links.ts";
import { linkDeleted } from "./link-events.ts";
import { releaseKeys } from "./released-keys.ts";

/** Links one call may name for deletion. */
export const deletedLinksMax = 1_000;

/**
 * Deletes links of the actor's workspace for good and returns how many there were; `ids` may hold `ext_` names. Names
 * that no link has are passed over, and so are root links, which go with their domains.
 */
export async function deleteLinks(
  { db, now }: { db: Db; now: Clock },
  actor: Actor,
  ids: readonly string[],
): Promise<number> {
  return await transact(db, async (tx) => {
    const links = (await lockLinks(tx, actor.workspaceId, ids)).filter(({ key }) => key !== rootKey);
    if (links.length === 0) return 0;
    const at = now();
    await tx
      .deleteFrom("links")
      .where(
        "id",
        "in",
        links.map(({ id }) => id),
      )
      .execute();
    await releaseKeys(tx, links, at);
    await emit(tx, ...links.map((link) => linkDeleted(actor, link, at)));
    return links.length;
  });
}
