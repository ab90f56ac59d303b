/**
 * Removing the clicks of a link up to the moment at which that is asked for, in steps that are safe to repeat.
 *
 * 1. A click is removed or stays by its time alone, wherever it is on its way; those that come later count as ever.
 * 2. The row in `purges` is the only memory; it goes in the end. While it is there, both readers of the spool pass over
 *    the clicks it is about: the counters exactly (counters.ts), the store as soon as this process knows.
 * 3. The store erases what it has at once, so that reports are right within seconds; and once more, when both readers have
 *    passed the ends that the spools had settleMs later, since a batch may have been on its way past 2.
 *
 * Known weakness: of several nodes on one PostgreSQL, each with a click store of its own, only one erases; see
 * erase-workspace.ts.
 */
import type { Actor } from "../access/actor.ts";
import { requireFolderLinksWriter } from "../access/folder-access.ts";
import { Problem } from "../base/problem.ts";
import { hourMs, minuteMs } from "../base/time.ts";
import type { Purge } from "../clicks/purge.ts";
import type { EraseScope } from "../clicks/store.ts";
import type { Db } from "../database/database.ts";
import { emit, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { initialiseUses } from "./click-limit.ts";
import { hasReached, type StoredSpool, settleMs } from "./erase-workspace.ts";
import { knownLinkId, lastFolderId } from "./link-history.ts";
import { pendingPurges } from "./pending-purges.ts";

/** Purges of a workspace that may be under way; calls at the same moment may pass it by as many as they are. */
export const pendingPurgesMax = 1_000;
/** Purges looked at in one step. */
const purgesAtOnceMax = 1_000;
/** The time after which no file holds purged clicks: a segment of the spool an hour, the store's file far less. */
export const goneWithinMs = hourMs + 15 * minuteMs;

/** What was purged: the link's clicks from before a moment, in milliseconds. */
export type PurgedLink = { id: string; before: number };

/**
 * Removes the clicks of a link up to now, also of one that was deleted; `linkId` may be `ext_` and an externalId of one
 * that was not. On return its clicks are 0 and its lastClicked is null; the rest is up to purgeNextClicks. How much of a
 * limit of clicks is used up stays: a link that was used up does not open again.
 * Throws "not_found" for a link the workspace never had; "forbidden" as requireFolderLinksWriter, for a deleted link by the
 * folder it was last in; "rate_limit_exceeded" while pendingPurgesMax are under way.
 */
export async function purgeClicks(
  { db, now }: { db: Db; now: () => number },
  actor: Actor,
  linkId: string,
): Promise<PurgedLink> {
  const id = await knownLinkId(db, actor, linkId);
  const { workspaceId, userId } = actor;
  return await transact(db, async (tx) => {
    const link = await lockCounter(tx, id, workspaceId);
    // Owners need no folder, and the event of a deletion may have hundreds of kilobytes.
    if (actor.role !== "owner") {
      await requireFolderLinksWriter(tx, actor, [
        link === undefined ? await lastFolderId(tx, actor, id) : link.folderId,
      ]);
    }
    await refuseTooMany(tx, workspaceId);
    // Read behind the lock: what was counted until then is older.
    const at = now();
    const before = at + 1;
    await initialiseUses(tx, id);
    await tx.updateTable("links").set({ clicks: 0, lastClicked: null }).where("id", "=", id).execute();
    const pending = { before, isErased: 0, spoolEnds: null } as const;
    await tx
      .insertInto("purges")
      .values({ linkId: id, workspaceId, ...pending })
      .onConflict((conflict) => conflict.column("linkId").doUpdateSet(pending))
      .execute();
    await emit(tx, { workspaceId, type: "clicks.purged", objectId: id, userId, at, data: { until: at } });
    return { id, before };
  });
}

/** Keeps the counters from adding to the link until the transaction ends; undefined for a deleted link. */
async function lockCounter(
  tx: Tx,
  linkId: string,
  workspaceId: number,
): Promise<{ folderId: string | null } | undefined> {
  return await tx
    .updateTable("links")
    .set((row) => ({ updatedAt: row.ref("updatedAt") }))
    .where("id", "=", linkId)
    .where("workspaceId", "=", workspaceId)
    .returning("folderId")
    .executeTakeFirst();
}

async function refuseTooMany(tx: Tx, workspaceId: number): Promise<void> {
  const { count } = await tx
    .selectFrom("purges")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("workspaceId", "=", workspaceId)
    .executeTakeFirstOrThrow();
  if (count < pendingPurgesMax) return;
  throw new Problem(
    "rate_limit_exceeded",
    `${pendingPurgesMax} links of this workspace are being purged; wait for them.`,
    {
      retryAfterSeconds: settleMs / 1_000,
    },
  );
}

/** What a purge works with: the database, the spools as their slower reader sees them, and the store's own erasure. */
export type PurgeDeps = {
  db: Db;
  now: () => number;
  spools: () => StoredSpool[];
  eraseClicks: (scope: EraseScope) => Promise<void>;
};

type PendingPurge = Purge & { workspaceId: number; isErased: 0 | 1; spoolEnds: string | null };

/** Does the next step of each purge under way; returns those that are left. */
export async function purgeNextClicks(deps: PurgeDeps): Promise<Purge[]> {
  const pending = await deps.db
    .selectFrom("purges")
    .selectAll()
    .orderBy("isErased")
    .orderBy("before")
    .limit(purgesAtOnceMax)
    .execute();
  for (const purge of pending) await purgeStep(deps, purge);
  return pending.length === 0 ? [] : await pendingPurges(deps.db);
}

async function purgeStep({ db, now, spools, eraseClicks }: PurgeDeps, purge: PendingPurge): Promise<void> {
  const { workspaceId, linkId, before, isErased, spoolEnds } = purge;
  const row = { linkId, before };
  if (isErased === 0) {
    await eraseClicks({ workspaceId, linkId, before });
    await changePurge(db, row, { isErased: 1 });
    return;
  }
  if (spoolEnds === null) {
    if (now() - before < settleMs) return;
    await changePurge(db, row, { spoolEnds: JSON.stringify(spools().map(({ id, end }) => [id, end])) });
    return;
  }
  if (!hasReached(spools(), spoolEnds)) return;
  await eraseClicks({ workspaceId, linkId, before });
  await db.deleteFrom("purges").where("linkId", "=", linkId).where("before", "=", before).execute();
}

/** One that was asked for again meanwhile has another moment, and begins anew. */
async function changePurge(
  db: Db,
  { linkId, before }: Purge,
  changes: { isErased: 1 } | { spoolEnds: string },
): Promise<void> {
  await db.updateTable("purges").set(changes).where("linkId", "=", linkId).where("before", "=", before).execute();
}
