/**
 * Removes the clicks of a link up to the time of the call, in steps that are safe to repeat.
 *
 * 1. The time of a click alone decides whether it is removed, wherever it is on its way; later clicks count as usual.
 *    When the clock was set back, clicks already counted have later times: the purge then extends to the last of them,
 *    since the counter returns to 0 and the store must agree. Clicks until the clock has passed that time are removed too.
 * 2. The row in `purges` is the only record; the last step deletes it. While it exists, both readers of the spool skip
 *    the purged clicks: the counters exactly (counters.ts), the store as soon as this process knows.
 * 3. The store erases its clicks at once, so that reports are correct within seconds. It erases again when both readers
 *    have passed the ends that the spools had settleMs later, since a batch may have been past step 2 already.
 * 4. With several nodes, the spools are those of all nodes; see erase-workspace.ts.
 */

import type { Actor } from "../access/actor.ts";
import { requireFolderLinksWriter } from "../access/folder-access.ts";
import { Problem } from "../base/problem.ts";
import { hourMs, minuteMs } from "../base/time.ts";
import type { Purge } from "../clicks/purge.ts";
import type { EraseScope } from "../clicks/store.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { initializeUses } from "./click-limit.ts";
import { type EraseDeps, hasReached, type StoredSpool, settleMs } from "./erase-workspace.ts";
import { knownLinkId, lastFolderId } from "./link-history.ts";
import { pendingPurges } from "./pending-purges.ts";

/** Running purges of a workspace at most. Simultaneous calls may exceed it by their number. */
export const pendingPurgesMax = 1_000;
/** Purges examined in one step. */
const stepPurgesMax = 1_000;
/** After this time no file holds purged clicks: a spool segment takes an hour, the store's file far less. */
export const goneWithinMs = hourMs + 15 * minuteMs;

/** The purged clicks: those of the link before an instant in milliseconds. */
type PurgedLink = { id: string; before: number };

/**
 * Removes the clicks of an existing or deleted link up to now; `linkId` may be `ext_` and the externalId of an existing
 * one. On return, its clicks are 0 and its lastClicked is null; purgeNextClicks does the rest. The used part of a click
 * limit stays: a used-up link does not open again.
 * Throws "not_found" for a link that the workspace never had; "forbidden" like requireFolderLinksWriter, for a deleted
 * link by its last folder; "rate_limit_exceeded" while pendingPurgesMax are running.
 */
export async function purgeClicks(
  { db, now }: { db: Db; now: () => number },
  actor: Actor,
  linkId: string,
): Promise<PurgedLink> {
  const id = await knownLinkId(db, actor, linkId);
  const { workspaceId } = actor;
  return await transact(db, async (tx) => {
    const link = await lockCounter(tx, id, workspaceId);
    // Reads no folder for owners: the event of a deletion may have hundreds of kilobytes.
    if (actor.role !== "owner") {
      await requireFolderLinksWriter(tx, actor, [
        link === undefined ? await lastFolderId(tx, actor, id) : link.folderId,
      ]);
    }
    await refuseTooMany(tx, workspaceId);
    // Read under the lock, so that everything counted before is older.
    const at = now();
    const before = Math.max(at, link?.lastClicked ?? 0, (await pendingUntil(tx, id)) ?? 0) + 1;
    await initializeUses(tx, id);
    await tx.updateTable("links").set({ clicks: 0, lastClicked: null }).where("id", "=", id).execute();
    const pending = { before, isErased: 0, spoolEnds: null } as const;
    await tx
      .insertInto("purges")
      .values({ linkId: id, workspaceId, ...pending })
      .onConflict((conflict) => conflict.column("linkId").doUpdateSet(pending))
      .execute();
    await emit(tx, eventBy(actor, "clicks.purged", id, at, { until: before - 1 }));
    return { id, before };
  });
}

/** Blocks the counters from adding to the link until the transaction ends; undefined for a deleted link. */
async function lockCounter(
  tx: Tx,
  linkId: string,
  workspaceId: number,
): Promise<{ folderId: string | null; lastClicked: number | null } | undefined> {
  return await tx
    .updateTable("links")
    .set((row) => ({ updatedAt: row.ref("updatedAt") }))
    .where("id", "=", linkId)
    .where("workspaceId", "=", workspaceId)
    .returning(["folderId", "lastClicked"])
    .executeTakeFirst();
}

/** The last instant whose clicks a running purge of the link removes. */
async function pendingUntil(tx: Tx, linkId: string): Promise<number | undefined> {
  const pending = await tx.selectFrom("purges").select("before").where("linkId", "=", linkId).executeTakeFirst();
  return pending === undefined ? undefined : pending.before - 1;
}

async function refuseTooMany(tx: Tx, workspaceId: number): Promise<void> {
  const count = await countRows(tx.selectFrom("purges").where("workspaceId", "=", workspaceId));
  if (count < pendingPurgesMax) return;
  throw new Problem(
    "rate_limit_exceeded",
    `${pendingPurgesMax} links of this workspace are being purged, which is the limit; try again later.`,
    {
      retryAfterSeconds: settleMs / 1_000,
    },
  );
}

/**
 * Dependencies of a purge: the database, the spools with the cursor of their slower reader, and the store's own
 * erasure.
 */
export type PurgeDeps = {
  db: Db;
  now: () => number;
  spools: () => Promise<StoredSpool[]>;
  haveNodesSettled: EraseDeps["haveNodesSettled"];
  eraseClicks: (scope: EraseScope) => Promise<void>;
};

type PendingPurge = Purge & { workspaceId: number; isErased: 0 | 1; spoolEnds: string | null };

/** Takes the next step of each running purge; returns those that are left. */
export async function purgeNextClicks(deps: PurgeDeps): Promise<Purge[]> {
  const pending = await deps.db
    .selectFrom("purges")
    .selectAll()
    .orderBy("isErased")
    .orderBy("before")
    .limit(stepPurgesMax)
    .execute();
  for (const purge of pending) await purgeStep(deps, purge);
  return pending.length === 0 ? [] : await pendingPurges(deps.db);
}

async function purgeStep(deps: PurgeDeps, purge: PendingPurge): Promise<void> {
  const { db, now, spools, eraseClicks } = deps;
  const { workspaceId, linkId, before, isErased, spoolEnds } = purge;
  if (isErased === 0) {
    await eraseClicks({ workspaceId, linkId, before });
    await changePurge(db, purge, { isErased: 1 });
    return;
  }
  if (spoolEnds === null) {
    const settledAt = before + settleMs;
    if (now() < settledAt || !(await deps.haveNodesSettled({ changedAt: before, settledAt }))) return;
    await changePurge(db, purge, { spoolEnds: JSON.stringify((await spools()).map(({ id, end }) => [id, end])) });
    return;
  }
  if (!hasReached(await spools(), spoolEnds)) return;
  await eraseClicks({ workspaceId, linkId, before });
  // One that was requested again has another instant, or no ends (repeat-removals.ts).
  await db
    .deleteFrom("purges")
    .where("linkId", "=", linkId)
    .where("before", "=", before)
    .where("spoolEnds", "=", spoolEnds)
    .execute();
}

/** Changes a purge, unless it was requested again: then it has another instant, or a repeated step (repeat-removals.ts). */
async function changePurge(
  db: Db,
  { linkId, before, isErased }: Pick<PendingPurge, "linkId" | "before" | "isErased">,
  changes: { isErased: 1 } | { spoolEnds: string },
): Promise<void> {
  await db
    .updateTable("purges")
    .set(changes)
    .where("linkId", "=", linkId)
    .where("before", "=", before)
    .where("isErased", "=", isErased)
    .execute();
}
