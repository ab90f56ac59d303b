import { forgetAuditEntriesOf } from "../access/audit-log.ts";
import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { releaseKeys } from "./released-keys.ts";

/**
 * Erases a deleted workspace (access/delete-workspace.ts) in steps that are safe to repeat.
 *
 * 1. The row in `erasures` is the only record of the task; the last step deletes it.
 * 2. Rows are deleted in small batches, so that visitors and other writers never wait long.
 * 3. Clicks are erased once the store has read the spools up to the ends they had settleMs after the deletion: before
 *    that, clicks of the workspace may still be on their way to the store.
 * 4. With several nodes, the spools are those of all nodes, as of their last reports. The ends are taken from reports that
 *    are later than settleMs after the deletion, of nodes whose copy of the links has the deletion.
 */

/** Links deleted in one step; each has rows in half a dozen indexes. */
export const linksPerStepMax = 100;
/** Events scanned in one step. They are scanned by number, since no index has the workspace. */
const eventsPerStepMax = 2_000;
/** Deleted workspaces examined in one step. */
const erasuresMax = 20;
/** Longer than any redirect that was running at the deletion. */
export const settleMs = minuteMs;

/** A spool: its end, and the cursor of the reader that the task waits for. */
export type StoredSpool = { id: string; end: number; stored: number };

/** Dependencies of an erasure: the database, the spools, and the store's own erasure. */
export type EraseDeps = {
  db: Db;
  now: () => number;
  spools: () => Promise<StoredSpool[]>;
  /** False while another node has not reported that its clicks since the change are known. */
  haveNodesSettled: (change: SettledChange) => Promise<boolean>;
  eraseClicks: (workspaceId: number) => Promise<void>;
};

/** The instant of a change, and the one after which no click from before the change is still on its way. */
export type SettledChange = { changedAt: number; settledAt: number };

type Erasure = {
  workspaceId: number;
  requestedAt: number;
  eventsTo: number;
  eventsScanned: number;
  spoolEnds: string | null;
};

/** Takes the next step for the deleted workspaces; "again" while rows are left. */
export async function eraseNextPart(deps: EraseDeps): Promise<"again" | "idle"> {
  const pending = await deps.db
    .selectFrom("erasures")
    .selectAll()
    // Erasures that only wait for the store come last, since the store may be down for long.
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
    if ((await forgetAuditEntriesOf({ db }, workspaceId)) === "again") return "again";
    // Deletes domains, tags, folders and rows written since with it.
    await transact(db, (tx) => tx.deleteFrom("workspaces").where("id", "=", workspaceId).execute());
    const settledAt = requestedAt + settleMs;
    if (now() < settledAt || !(await deps.haveNodesSettled({ changedAt: requestedAt, settledAt }))) return "idle";
    const ends = JSON.stringify((await spools()).map(({ id, end }) => [id, end]));
    await db
      .updateTable("erasures")
      .set({ spoolEnds: ends })
      .where("workspaceId", "=", workspaceId)
      .where("requestedAt", "=", requestedAt)
      .execute();
    return "idle";
  }
  if (!hasReached(await spools(), spoolEnds)) return "idle";
  await deps.eraseClicks(workspaceId);
  // One that was requested again since has no ends (repeat-removals.ts).
  await db.deleteFrom("erasures").where("workspaceId", "=", workspaceId).where("spoolEnds", "=", spoolEnds).execute();
  return "idle";
}

/**
 * True when the store has read the spools up to the recorded ends. A spool that is gone was read to its end; the bytes
 * that a crash tore off another one held no click.
 */
export function hasReached(spools: readonly StoredSpool[], spoolEnds: string): boolean {
  // The previous step wrote this.
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
    // On a domain of another workspace, the key stays reserved for a while.
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
