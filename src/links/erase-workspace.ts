import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { releaseKeys } from "./released-keys.ts";

/**
 * What is left to do when a workspace was deleted (access/delete-workspace.ts), in steps that are safe to repeat.
 *
 * 1. The row in `erasures` is the only memory; it goes in the end, after everything it stands for.
 * 2. Rows go in small parts, so that visitors and other writers wait for none of them for long.
 * 3. Clicks go once the store has passed the ends that the spools had settleMs after the deletion: before that, clicks
 *    of the workspace may still be on their way to the store.
 *
 * Known weakness: of several nodes on one PostgreSQL, each with a click store of its own, only the one that takes the
 * last step erases its clicks. Nobody can ask for the others' any more; a shared store is the remedy.
 */

/** Links deleted in one step, of which each has rows in half a dozen indices. */
export const linksPerStepMax = 100;
/** Events looked at in one step; they are found by their number, for want of an index by workspace. */
export const eventsPerStepMax = 2_000;
/** Deleted workspaces looked at in one step. */
const erasuresMax = 20;
/** Longer than any redirect that was under way at the deletion. */
export const settleMs = minuteMs;

/** A spool: how far it goes, and how far it has been read: by the store, or by whoever is waited for. */
export type StoredSpool = { id: string; end: number; stored: number };

/** What an erasure works with: the database, the spools, and the store's own erasure. */
export type EraseDeps = {
  db: Db;
  now: () => number;
  spools: () => StoredSpool[];
  eraseClicks: (workspaceId: number) => Promise<void>;
};

type Erasure = {
  workspaceId: number;
  requestedAt: number;
  eventsTo: number;
  eventsScanned: number;
  spoolEnds: string | null;
};

/** Does the next step for the workspaces that were deleted; "again" while rows are left. */
export async function eraseNextPart(deps: EraseDeps): Promise<"again" | "idle"> {
  const pending = await deps.db
    .selectFrom("erasures")
    .selectAll()
    // Those that wait for the store alone come last: it may be away for long.
    .orderBy((row) => row.case().when("spoolEnds", "is", null).then(0).else(1).end())
    .orderBy("requestedAt")
    .limit(erasuresMax)
    .execute();
  for (const erasure of pending) {
    if ((await eraseStep(deps, erasure)) === "again") return "again";
  }
  return "idle";
}

async function eraseStep(deps: EraseDeps, erasure: Erasure): Promise<"again" | "idle"> {
  const { db, spools, now } = deps;
  const { workspaceId, requestedAt, spoolEnds } = erasure;
  if (spoolEnds === null) {
    if ((await eraseLinks(deps, workspaceId)) > 0) return "again";
    if (erasure.eventsScanned < erasure.eventsTo) return await eraseEvents(db, erasure);
    // Domains, tags, folders and what may have been written meanwhile go with it.
    await transact(db, (tx) => tx.deleteFrom("workspaces").where("id", "=", workspaceId).execute());
    if (now() - requestedAt < settleMs) return "idle";
    const ends = JSON.stringify(spools().map(({ id, end }) => [id, end]));
    await db.updateTable("erasures").set({ spoolEnds: ends }).where("workspaceId", "=", workspaceId).execute();
    return "idle";
  }
  if (!hasReached(spools(), spoolEnds)) return "idle";
  await deps.eraseClicks(workspaceId);
  await db.deleteFrom("erasures").where("workspaceId", "=", workspaceId).execute();
  return "idle";
}

/**
 * Whether the store has read the spools up to the ends they had. One that is gone was read to its end; what a crash tore
 * off the end of another held no click.
 */
export function hasReached(spools: readonly StoredSpool[], spoolEnds: string): boolean {
  // Written by the step before.
  const ends = new Map(JSON.parse(spoolEnds) as [string, number][]);
  return spools.every(({ id, end, stored }) => stored >= Math.min(end, ends.get(id) ?? 0));
}

async function eraseLinks({ db, now }: EraseDeps, workspaceId: number): Promise<number> {
  return await transact(db, async (tx) => {
    const links = await tx
      .selectFrom("links")
      .innerJoin("domains", "domains.id", "links.domainId")
      .select(["links.id", "links.domainId", "links.foldedKey", "domains.workspaceId as domainOwner"])
      .where("links.workspaceId", "=", workspaceId)
      .orderBy("links.id")
      .limit(linksPerStepMax)
      .execute();
    if (links.length === 0) return 0;
    const ids = links.map(({ id }) => id);
    await tx.deleteFrom("links").where("id", "in", ids).execute();
    // On a domain of others, nobody must take the key at once.
    const shared = links.filter(({ domainOwner }) => domainOwner !== workspaceId);
    await releaseKeys(
      tx,
      shared.map(({ domainId, foldedKey }) => ({ domainId, foldedKey, workspaceId })),
      { reason: "deleted", now: now() },
    );
    return links.length;
  });
}

async function eraseEvents(db: Db, { workspaceId, eventsScanned, eventsTo }: Erasure): Promise<"again"> {
  const to = Math.min(eventsScanned + eventsPerStepMax, eventsTo);
  await transact(db, async (tx) => {
    await tx
      .deleteFrom("events")
      .where("workspaceId", "=", workspaceId)
      .where("id", ">", eventsScanned)
      .where("id", "<=", to)
      .execute();
    await tx.updateTable("erasures").set({ eventsScanned: to }).where("workspaceId", "=", workspaceId).execute();
  });
  return "again";
}
