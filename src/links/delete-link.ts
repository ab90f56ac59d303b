import type { Actor } from "../access/actor.ts";
import { lockLinkCount, subtractLinks } from "../access/link-count.ts";
import { Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { rootKey } from "../domains/domain.ts";
import { lockLink } from "./find-links.ts";
import { requireLinkWriter } from "./link-access.ts";
import { linkDeleted } from "./link-events.ts";
import { releaseKeys } from "./released-keys.ts";

/**
 * Deletes a link permanently and returns its id, also when the caller named it by `ext_` and its externalId.
 * The workspace holds the key for keyHoldMs, and visitors get 410 until a link takes it. The clicks still count in the
 * workspace's totals.
 * Throws "not_found"; "forbidden" for a root link, which is deleted with its domain; and what requireLinkWriter throws.
 */
export async function deleteLink(
  { db, now }: { db: Db; now: Clock },
  actor: Actor,
  linkId: string,
): Promise<{ id: string }> {
  return await transact(db, async (tx) => {
    await lockLinkCount(tx, actor.workspaceId);
    const link = await lockLink(tx, actor.workspaceId, linkId);
    if (link.key === rootKey) {
      throw new Problem(
        "forbidden",
        `The root link of ${link.domain} cannot be deleted; it is deleted with its domain.`,
      );
    }
    await requireLinkWriter(tx, actor, [link]);
    const at = now();
    await tx.deleteFrom("links").where("id", "=", link.id).execute();
    await subtractLinks(tx, actor.workspaceId, 1);
    await releaseKeys(tx, [link], { reason: "deleted", now: at });
    await emit(tx, linkDeleted(actor, link, at));
    return { id: link.id };
  });
}
