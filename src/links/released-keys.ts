import { hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";

/**
 * Keys given up a short while ago, which only the workspace that had them may take: whoever follows the old link
 * must not land at a stranger's page the minute it is deleted. It matters on domains that workspaces share.
 *
 * A key is taken by inserting the link first and asking here second. On PostgreSQL the insert waits for a transaction
 * that is just giving the key up; asking before would miss what that transaction writes.
 */

/** How long a key stays with the workspace that gave it up. */
export const keyHoldMs = 24 * hourMs;

type Place = { domainId: string; foldedKey: string };

/** A key that this workspace cannot take yet; the transaction that tried must be rolled back. */
export class KeyHeld extends Error {
  override readonly name = "KeyHeld";
}

/** Notes that a workspace gave a key up. */
export async function releaseKey(
  tx: Tx,
  { domainId, foldedKey, workspaceId }: Place & { workspaceId: number },
  now: number,
): Promise<void> {
  await tx
    .insertInto("releasedKeys")
    .values({ domainId, foldedKey, workspaceId, releasedAt: now })
    .onConflict((conflict) => conflict.columns(["domainId", "foldedKey"]).doUpdateSet({ workspaceId, releasedAt: now }))
    .execute();
}

const takeRelease = prepared((db, value: Slot<{ domainId: string; foldedKey: string }>) =>
  db
    .deleteFrom("releasedKeys")
    .where("domainId", "=", value("domainId"))
    .where("foldedKey", "=", value("foldedKey"))
    .returning(["workspaceId", "releasedAt"]),
);

/** Takes a key that the transaction has just given to a link. Throws KeyHeld while another workspace holds it. */
export async function takeKey(
  tx: Tx,
  { domainId, foldedKey, workspaceId }: Place & { workspaceId: number },
  now: number,
): Promise<void> {
  const [released] = await takeRelease(tx, { domainId, foldedKey });
  if (released === undefined || released.workspaceId === workspaceId) return;
  if (now - released.releasedAt < keyHoldMs) throw new KeyHeld();
}

/** Forgets the keys that are free for everybody again, and returns how many; for the cleanup task. */
export async function forgetReleasedKeys({ db, now }: { db: Db; now: () => number }): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("releasedKeys")
    .where("releasedAt", "<=", now() - keyHoldMs)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
