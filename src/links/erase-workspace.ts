import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { releaseKeys } from "./released-keys.ts";

/**
 * What is left to do when a workspace was deleted (access/delete-workspace.ts), in steps that are safe to repeat.
 *
 * 1. The row in `erasures` is the only memory; it goes in the end, after everything it stands for.
 * 2. Rows go in small parts, so that visitors and other writers wait for none of them for long.
 * 3. Clicks go once the store has passed the end that the spool had settleMs after the deletion: before that, clicks
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

/** What an erasure works with: the database, how far the spool and the store are, and the store's own erasure. */
export type EraseDeps = {
  db: Db;
  now: () => number;
  spool: { id: string; end(): number };
  /** The store's cursor in that spool. */
  storeCursor: () => number;
  eraseClicks: (workspaceId: number) => Promise<void>;
};

type Erasure = {
  workspaceId: number;
  requestedAt: number;
  eventsTo: number;
  eventsScanned: number;
  spoolId: string | null;
  spoolPosition: number | null;
};

/** Does the next step for the workspaces that were deleted; "again" while rows are left. */
export async function eraseNextPart(deps: EraseDeps): Promise<"again" | "idle"> {
  const pending = await deps.db
    .selectFrom("erasures")
    .selectAll()
    // Those that wait for the store alone come last: it may be away for long.
    .orderBy((row) => row.case().when("spoolId", "is", null).then(0).else(1).end())
    .orderBy("requestedAt")
    .limit(erasuresMax)
    .execute();
  for (const erasure of pending) {
    if ((await eraseStep(deps, erasure)) === "again") return "again";
  }
  return "idle";
}

async function eraseStep(deps: EraseDeps, erasure: Erasure): Promise<"again" | "idle"> {
  const { db, spool, now } = deps;
  const { workspaceId, requestedAt, spoolId, spoolPosition } = erasure;
  if (spoolId === null || spoolPosition === null || spoolId !== spool.id) {
    if ((await eraseLinks(deps, workspaceId)) > 0) return "again";
    if (erasure.eventsScanned < erasure.eventsTo) return await eraseEvents(db, erasure);
    // Domains, tags, folders and what may have been written meanwhile go with it.
    await transact(db, (tx) => tx.deleteFrom("workspaces").where("id", "=", workspaceId).execute());
    if (now() - requestedAt < settleMs) return "idle";
    const position = { spoolId: spool.id, spoolPosition: spool.end() };
    await db.updateTable("erasures").set(position).where("workspaceId", "=", workspaceId).execute();
    return "idle";
  }
  if (deps.storeCursor() < spoolPosition) return "idle";
  await deps.eraseClicks(workspaceId);
  await db.deleteFrom("erasures").where("workspaceId", "=", workspaceId).execute();
  return "idle";
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
      now(),
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
