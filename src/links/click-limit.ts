/**
 * How often a link with maxClicks was clicked, counted before the visitor is answered.
 *
 * 1. `links.clicks` cannot serve: it is folded from the spool some time later. A link's row here is made by its first
 *    click under a limit, from `links.clicks` on, so that clicks from before the limit count too.
 * 2. One statement takes a click and says whether there was one left, so that any number of visitors in any number of
 *    processes are sent on at most maxClicks times. One who is not answered after all has used a click up.
 * 3. The row goes with its link, and is made anew when a limit is set where there was none.
 */
import { sql } from "kysely";
import { visitorWaitMaxMs, withTimeout } from "../database/availability.ts";
import { type Db, engineOf } from "../database/database.ts";
import { transact } from "../database/transact.ts";

/** What a redirect asks about links with maxClicks. */
export type ClickLimits = {
  /** Takes one of the link's clicks; false when they are used up. Rejects when it cannot be known, or not in time. */
  take(linkId: string, maxClicks: number): Promise<boolean>;
  /** Whether they are used up; takes none. Rejects as take. */
  isUsedUp(linkId: string, maxClicks: number): Promise<boolean>;
};

/** The limits of the links in a database, which several processes may have open. */
export function openClickLimits(db: Db): ClickLimits {
  // On SQLite the clicks of one moment share a commit; on PostgreSQL one statement is a transaction by itself, and a
  // longer one would keep the next visitor waiting.
  const take =
    engineOf(db) === "sqlite"
      ? (linkId: string, maxClicks: number) => transact(db, (tx) => takeClick(tx, linkId, maxClicks))
      : (linkId: string, maxClicks: number) => takeClick(db, linkId, maxClicks);
  return {
    take: (linkId, maxClicks) => withTimeout(visitorWaitMaxMs, take(linkId, maxClicks)),
    isUsedUp: (linkId, maxClicks) => withTimeout(visitorWaitMaxMs, readUsedUp(db, linkId, maxClicks)),
  };
}

/** Forgets how often links were clicked: a limit is about to be set where there was none. */
export async function deleteUses(db: Db, linkIds: readonly string[]): Promise<void> {
  if (linkIds.length > 0) await db.deleteFrom("linkUses").where("linkId", "in", linkIds).execute();
}

/** Notes how often a link with a limit was clicked, before its clicks are set to 0. */
export async function initialiseUses(db: Db, linkId: string): Promise<void> {
  await sql`
    insert into "linkUses" ("linkId", "uses")
    select "id", "clicks" from "links" where "id" = ${linkId} and "maxClicks" is not null
    on conflict ("linkId") do nothing
  `.execute(db);
}

async function takeClick(db: Db, linkId: string, maxClicks: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into "linkUses" ("linkId", "uses")
    select "id", "clicks" + 1 from "links" where "id" = ${linkId} and "clicks" < ${maxClicks}
    on conflict ("linkId") do update set "uses" = "linkUses"."uses" + 1 where "linkUses"."uses" < ${maxClicks}
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
