/**
 * Counts the clicks of links with maxClicks, before the visitor gets a response.
 *
 * 1. `links.clicks` lags behind: it is computed from the spool. The first click under a limit inserts the link's row
 *    here, starting at `links.clicks`, so that clicks from before the limit count too.
 * 2. One statement takes a click and returns whether one was left. So any number of visitors in any number of processes
 *    reach the destination at most maxClicks times. A visitor whose response is lost has used a click.
 * 3. With WAYPOST_LIMITED_LINKS_WHILE_DOWN=redirect, a process remembers the clicks that it could not take while the
 *    database was away, and the next click takes them too. Then the limit may have been exceeded.
 * 4. The row is deleted with its link, and when a limit is set on a link that had none.
 */
import { sql } from "kysely";
import { LruCache } from "../base/lru-cache.ts";
import { isDatabaseUnavailable, visitorWaitMaxMs, withTimeout } from "../database/availability.ts";
import type { Db } from "../database/database.ts";
import { engineOf } from "../database/engine.ts";
import { transact } from "../database/transact.ts";

/** The click limits as a redirect uses them. */
export type ClickLimits = {
  /** Takes one of the link's clicks; false when they are used up. Rejects when the database does not answer in time. */
  take(linkId: string, maxClicks: number): Promise<boolean>;
  /** True when the link's clicks are used up; takes none. Rejects like `take`. */
  isUsedUp(linkId: string, maxClicks: number): Promise<boolean>;
};

/** What visitors of links with a limit get while the database does not answer: an error, or the destination. */
type WhileAway = "refuse" | "redirect";

/** A process remembers the clicks that it could not take for at most this many links. */
const untakenLinksMax = 10_000;

/** Opens the click limits of a database, which several processes may have open. */
export function openClickLimits(db: Db, whileAway: WhileAway = "refuse"): ClickLimits {
  // On SQLite, simultaneous clicks share a commit. On PostgreSQL, one statement is a transaction by itself, and a
  // longer one would keep the next visitor waiting.
  const take: (click: TakenClick) => Promise<boolean> =
    engineOf(db) === "sqlite" ? (click) => transact(db, (tx) => takeClick(tx, click)) : (click) => takeClick(db, click);
  const untaken = new LruCache<string, number>(untakenLinksMax);
  return {
    async take(linkId, maxClicks) {
      const before = untaken.get(linkId) ?? 0;
      untaken.delete(linkId);
      try {
        return await withTimeout(visitorWaitMaxMs, take({ linkId, maxClicks, untaken: before }));
      } catch (error) {
        const redirects = whileAway === "redirect" && isDatabaseUnavailable(error);
        const kept = before + (redirects ? 1 : 0);
        if (kept > 0) untaken.set(linkId, (untaken.get(linkId) ?? 0) + kept);
        if (!redirects) throw error;
        return true;
      }
    },
    async isUsedUp(linkId, maxClicks) {
      try {
        return await withTimeout(visitorWaitMaxMs, readUsedUp(db, linkId, maxClicks));
      } catch (error) {
        if (whileAway === "refuse" || !isDatabaseUnavailable(error)) throw error;
        return false;
      }
    },
  };
}

/** Deletes the click counts of links that are about to get a limit. */
export async function deleteUses(db: Db, linkIds: readonly string[]): Promise<void> {
  if (linkIds.length > 0) await db.deleteFrom("linkUses").where("linkId", "in", linkIds).execute();
}

/** Copies the clicks of a link with a limit into its row, before `links.clicks` is set to 0. */
export async function initializeUses(db: Db, linkId: string): Promise<void> {
  await sql`
    insert into "linkUses" ("linkId", "uses")
    select "id", "clicks" from "links" where "id" = ${linkId} and "maxClicks" is not null
    on conflict ("linkId") do nothing
  `.execute(db);
}

/** A click, and those before it that were redirected while the database was away. */
type TakenClick = { linkId: string; maxClicks: number; untaken: number };

async function takeClick(db: Db, { linkId, maxClicks, untaken }: TakenClick): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into "linkUses" ("linkId", "uses")
    select "id", "clicks" + 1 from "links" where "id" = ${linkId} and "clicks" < ${maxClicks}
    on conflict ("linkId") do update set "uses" = "linkUses"."uses" + ${untaken + 1} where "linkUses"."uses" < ${maxClicks}
  `.execute(db);
  return numAffectedRows === 1n;
}

async function readUsedUp(db: Db, linkId: string, maxClicks: number): Promise<boolean> {
  const row = await db
    .selectFrom("links")
    .leftJoin("linkUses", "linkUses.linkId", "links.id")
    .select(({ fn }) => fn.coalesce("linkUses.uses", "links.clicks").as("uses"))
    .where("links.id", "=", linkId)
    .executeTakeFirst();
  return row !== undefined && row.uses >= maxClicks;
}
