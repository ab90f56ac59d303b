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

/** Notes that a workspace gave keys up. */
export async function releaseKeys(
  tx: Tx,
  places: readonly (Place & { workspaceId: number })[],
  now: number,
): Promise<void> {
  if (places.length === 0) return;
  await tx
    .insertInto("releasedKeys")
    .values(
      places.map(({ domainId, foldedKey, workspaceId }) => ({ domainId, foldedKey, workspaceId, releasedAt: now })),
    )
    .onConflict((conflict) =>
      conflict.columns(["domainId", "foldedKey"]).doUpdateSet((row) => ({
        workspaceId: row.ref("excluded.workspaceId"),
        releasedAt: now,
      })),
    )
    .execute();
}

/**
 * Takes keys that the transaction has just given to links of one workspace. Throws KeyHeld while another workspace
 * holds one of them.
 */
export async function takeKeys(
  tx: Tx,
  places: readonly (Place & { workspaceId: number })[],
  now: number,
): Promise<void> {
  for (const [domainId, onDomain] of Map.groupBy(places, (place) => place.domainId)) {
    const keys = onDomain.map(({ foldedKey }) => foldedKey);
    const own = onDomain[0]?.workspaceId;
    const released = await forget(tx, domainId, keys);
    if (released.some(({ workspaceId, releasedAt }) => workspaceId !== own && now - releasedAt < keyHoldMs)) {
      throw new KeyHeld();
    }
  }
}

type Release = { workspaceId: number; releasedAt: number };

const forgetOne = prepared((db, value: Slot<{ domainId: string; foldedKey: string }>) =>
  db
    .deleteFrom("releasedKeys")
    .where("domainId", "=", value("domainId"))
    .where("foldedKey", "=", value("foldedKey"))
    .returning(["workspaceId", "releasedAt"]),
);

async function forget(tx: Tx, domainId: string, foldedKeys: readonly string[]): Promise<Release[]> {
  const [foldedKey, ...others] = foldedKeys;
  if (foldedKey !== undefined && others.length === 0) return await forgetOne(tx, { domainId, foldedKey });
  return await tx
    .deleteFrom("releasedKeys")
    .where("domainId", "=", domainId)
    .where("foldedKey", "in", foldedKeys)
    .returning(["workspaceId", "releasedAt"])
    .execute();
}

/** Of folded keys on a domain, those that another workspace holds. */
export async function heldKeys(
  tx: Tx,
  { domainId, foldedKeys, workspaceId }: { domainId: string; foldedKeys: readonly string[]; workspaceId: number },
  now: number,
): Promise<string[]> {
  const held = await tx
    .selectFrom("releasedKeys")
    .select("foldedKey")
    .where("domainId", "=", domainId)
    .where("foldedKey", "in", foldedKeys)
    .where("workspaceId", "<>", workspaceId)
    .where("releasedAt", ">", now - keyHoldMs)
    .execute();
  return held.map(({ foldedKey }) => foldedKey);
}

/** Forgets the keys that are free for everybody again, and returns how many; for the cleanup task. */
export async function forgetReleasedKeys({ db, now }: { db: Db; now: () => number }): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("releasedKeys")
    .where("releasedAt", "<=", now() - keyHoldMs)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
