/**
 * The number of links of each workspace that has a limit for links.
 *
 * 1. Counting a million links takes tenths of a second, so links are not counted at each creation: `workspaces.linkCount`
 *    is their number, and creations and deletions change it in their own transactions. A creation without a limit
 *    removes the number, so that such creations do not wait for each other.
 * 2. `startLinkCount` begins a count when a workspace gets a limit, and `countLinksOf` ends it: creations and deletions
 *    during the count change `linkCountChange`, which is read in the same snapshot as the count. So no transaction
 *    counts many links, and on SQLite, where transactions run on the thread that answers visitors, none waits.
 * 3. Creations during that count are not refused, unless the limit is so small (recountedMax) that counting up to it takes
 *    less than a millisecond. Such limits are always checked against the rows.
 * 4. On PostgreSQL, a count misses creations and deletions that began before `startLinkCount`. A small limit corrects that;
 *    a larger one keeps the difference of a few links.
 * 5. Root links of domains do not count.
 */
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";

/** The highest limit at which links are counted again: counting them takes about half a millisecond. */
const recountedMax = 1_000;
/** The key of the link at the root of a domain, as domains/domain.ts names it, which this folder does not import. */
const rootKey = "_root";

/** Reserves room for at most `wanted` links, and returns for how many there is room. Locks the workspace. */
export async function takeLinkRoom(
  tx: Tx,
  { workspaceId, max, wanted }: { workspaceId: number; max: number; wanted: number },
): Promise<number> {
  const { linkCount: total, linkCountChange: change } = await addLinks(tx, workspaceId, wanted);
  if (total !== null && total <= max) return wanted;
  if (total === null && change !== null && max > recountedMax) return wanted;
  const isCounted = total === null || max <= recountedMax;
  const count = isCounted ? await countLinks(tx, workspaceId, max) : total - wanted;
  const room = Math.max(0, Math.min(max - count, wanted));
  // Beyond the limit, `count` is only a lower bound.
  if (isCounted && count <= max) await storeLinkCount(tx, workspaceId, count + room);
  else await addLinks(tx, workspaceId, room - wanted);
  return room;
}

async function addLinks(tx: Tx, workspaceId: number, added: number) {
  return await changeCount(tx, workspaceId, added)
    .returning(["linkCount", "linkCountChange"])
    .executeTakeFirstOrThrow();
}

/** Adds to the stored number, and to the correction of a count that is still running; each is null if there is none. */
function changeCount(tx: Tx, workspaceId: number, by: number) {
  return tx
    .updateTable("workspaces")
    .set((row) => ({ linkCount: row("linkCount", "+", by), linkCountChange: row("linkCountChange", "+", by) }))
    .where("id", "=", workspaceId);
}

/** Stores a number of links that was counted in this transaction; null when no limit needs it. */
async function storeLinkCount(tx: Tx, workspaceId: number, linkCount: number | null): Promise<void> {
  await tx.updateTable("workspaces").set({ linkCount, linkCountChange: null }).where("id", "=", workspaceId).execute();
}

/** Removes the number of links of a workspace that has no limit of links any more. */
export async function forgetLinkCount(tx: Tx, workspaceId: number): Promise<void> {
  await storeLinkCount(tx, workspaceId, null);
}

/**
 * Locks a workspace whose number of links is stored. A deletion calls it first: a creation locks the workspace before it
 * waits for a key that the deletion releases.
 */
export async function lockLinkCount(tx: Tx, workspaceId: number): Promise<void> {
  await subtractLinks(tx, workspaceId, 0);
}

/** Subtracts deleted links from the stored number of a workspace, if there is one. Root links do not count. */
export async function subtractLinks(tx: Tx, workspaceId: number, deleted: number): Promise<void> {
  await changeCount(tx, workspaceId, -deleted)
    .where((row) => row.or([row("linkCount", "is not", null), row("linkCountChange", "is not", null)]))
    .execute();
}

/**
 * Begins to count the links of a workspace, or of all, whose number is not known. Call it in the transaction that sets the
 * limit; `countLinksOf` or `countNextLinks` ends the count.
 */
export async function startLinkCount(db: Db, workspaceId: "all" | number): Promise<void> {
  const uncounted = db
    .updateTable("workspaces")
    .set({ linkCountChange: 0 })
    .where("linkCount", "is", null)
    .where("linkCountChange", "is", null);
  await (workspaceId === "all" ? uncounted : uncounted.where("id", "=", workspaceId)).execute();
}

/** `reads` should be a connection whose queries delay no visitor. */
type CountDeps = { db: Db; reads: Db };

/**
 * Ends the next count that a start of the service began, or that was interrupted. Returns false when there is none.
 * Guarantee: without one, `reads` gets no query, so that an idle service starts no reading thread.
 */
export async function countNextLinks(deps: CountDeps): Promise<boolean> {
  // A partial index holds only the workspaces whose links are being counted.
  const next = deps.db.selectFrom("workspaces").select("id").where("linkCountChange", "is not", null).limit(1);
  const workspace = await next.executeTakeFirst();
  if (workspace === undefined) return false;
  await countLinksOf(deps, workspace.id);
  return true;
}

/** Ends the count of a workspace, if one has begun. */
export async function countLinksOf({ db, reads }: CountDeps, workspaceId: number): Promise<void> {
  // One statement, and so one snapshot.
  const counted = await reads
    .selectFrom("workspaces")
    .select(["linkCountChange", linksOf(sql.val(workspaceId)).as("links")])
    .where("workspaces.id", "=", workspaceId)
    .where("linkCountChange", "is not", null)
    .executeTakeFirst();
  if (counted === undefined) return;
  const before = Number(counted.links) - (counted.linkCountChange ?? 0);
  await db
    .updateTable("workspaces")
    .set((row) => ({ linkCount: row("linkCountChange", "+", before), linkCountChange: null }))
    .where("id", "=", workspaceId)
    .where("linkCountChange", "is not", null)
    .execute();
}

/** The number of a workspace's links, without root links. Beyond `max`, it may be any number above it. */
export async function countLinks(db: Db, workspaceId: number, max?: number): Promise<number> {
  const counted = db.selectNoFrom(linksOf(sql.val(workspaceId), max).as("links"));
  return Number((await counted.executeTakeFirstOrThrow()).links);
}

/** SQL for the same number. */
function linksOf(workspaceId: RawBuilder<number>, max?: number): RawBuilder<number | string> {
  const roots = countOfRoots(workspaceId);
  const links = sql`select 1 from "links" where "workspaceId" = ${workspaceId}`;
  const some = max === undefined ? links : sql`${links} limit ${max} + 1 + ${roots}`;
  return sql`(select count(*) from (${some}) as "some") - ${roots}`;
}

/**
 * SQL for the number of the root links that a workspace has at its domains. Looks for the root of each domain: SQLite would
 * plan a join as a search among all links of the workspace.
 */
function countOfRoots(workspaceId: RawBuilder<number>): RawBuilder<number> {
  return sql`(select count(*) from "domains" where "domains"."workspaceId" = ${workspaceId} and exists (
    select 1 from "links" where "links"."domainId" = "domains"."id" and "links"."foldedKey" = ${rootKey}
    and "links"."workspaceId" = ${workspaceId}))`;
}
