import { type Kysely, sql, type Transaction } from "kysely";
import { Thread } from "../base/thread.ts";
import { secondMs } from "../base/time.ts";
import type { FolderStretch, LinkTally, SpoolLocation, StretchTally, Tally } from "../clicks/ingest.ts";
import type { Purge } from "../clicks/purge.ts";
import type { Database, DatabaseLocation, Engine } from "../database/database.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { pendingPurges } from "./pending-purges.ts";

/** The longest one step may take, waiting for a lock included. */
const callTimeMaxMs = 30 * secondMs;

/** TABLE of what the counters' thread does. */
export type CountersVerbs = {
  start: { argument: DatabaseLocation; result: undefined };
  /** Counts the next part of the spool; the result is the new cursor. */
  count: { argument: SpoolLocation; result: number };
  /** Counts a stretch of a spool, for nobody but the caller. */
  tally: { argument: FolderStretch; result: StretchTally };
  /** Moves what SQLite's log holds into its file; a thread that writes anyway is the place for it. */
  checkpoint: { argument: undefined; result: undefined };
  close: { argument: undefined; result: undefined };
};

/** The links' counters: a reader of the spool in a thread of its own, with a connection of its own. */
export type Counters = {
  /** Counts the next part of the spool; resolves with the new cursor. Interrupted anywhere, it may be repeated. */
  count(spool: SpoolLocation): Promise<number>;
  /** The human clicks of a stretch of a spool by link; it moves no cursor. Of some megabytes, it takes a second. */
  tally(stretch: FolderStretch): Promise<StretchTally>;
  /** Moves what SQLite's log holds into its file. May be called at any time; on SQLite alone. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
};

/** Starts the thread on a database whose tables are up to date. */
export function startCounters(location: DatabaseLocation): Counters {
  const file = new URL("./counters-worker.ts", import.meta.url);
  const thread = new Thread<CountersVerbs>(file, callTimeMaxMs, location);
  return {
    count: (spool) => thread.call("count", spool),
    tally: (stretch) => thread.call("tally", stretch),
    checkpoint: () => thread.call("checkpoint", undefined),
    async close() {
      try {
        await thread.call("close", undefined);
      } finally {
        thread.terminate();
      }
    },
  };
}

const reader = "counters";

/**
 * Records that the spool may delete what lies before `position`, which the counters have passed. The commit is synced,
 * and with it the counters' own before it: power loss cannot set them back behind clicks that are gone.
 */
export async function recordRelease(db: Kysely<Schema>, spoolId: string, position: number): Promise<void> {
  await db
    .insertInto("cursors")
    .values({ reader: "release", spoolId, position })
    .onConflict((conflict) => conflict.columns(["reader", "spoolId"]).doUpdateSet({ position }))
    .execute();
}

/** How far a spool may be deleted, as recorded by recordRelease; 0 when nothing was. */
export async function releasedPosition(db: Kysely<Schema>, spoolId: string): Promise<number> {
  return await recordedPosition(db, "release", spoolId);
}

/** How far the link counters have come in a spool; 0 for one never seen. */
export async function countersCursor(db: Kysely<Schema>, spoolId: string): Promise<number> {
  return await recordedPosition(db, reader, spoolId);
}

async function recordedPosition(db: Kysely<Schema>, reader: string, spoolId: string): Promise<number> {
  const row = await db
    .selectFrom("cursors")
    .select("position")
    .where("reader", "=", reader)
    .where("spoolId", "=", spoolId)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/**
 * Adds a tally to `clicks` and `lastClicked` of its links and moves the cursor, in one transaction; returns the cursor
 * as it then is, where the next tally has to begin.
 * Guarantee: idempotent, since a tally that does not begin at the cursor changes nothing. Links deleted meanwhile are
 * passed over. `purges` are those that the tally was folded with; when there are others by now, it changes nothing.
 */
export async function applyTally(
  { db, engine }: Pick<Database, "db" | "engine">,
  spoolId: string,
  tally: Tally,
  purges: readonly Purge[] = [],
): Promise<number> {
  try {
    return await transact(db, (tx) => moveCounters(tx, engine, spoolId, tally, purges));
  } catch (error) {
    if (error instanceof PurgedMeanwhile) return tally.from;
    throw error;
  }
}

/** Some of a tally's clicks may have been purged since it was folded. */
class PurgedMeanwhile extends Error {}

async function moveCounters(
  tx: Transaction<Schema>,
  engine: Engine,
  spoolId: string,
  { from, to, links }: Tally,
  purges: readonly Purge[],
): Promise<number> {
  await tx
    .insertInto("cursors")
    .values({ reader, spoolId, position: 0 })
    .onConflict((conflict) => conflict.columns(["reader", "spoolId"]).doNothing())
    .execute();
  const moved = await tx
    .updateTable("cursors")
    .set({ position: to })
    .where("reader", "=", reader)
    .where("spoolId", "=", spoolId)
    .where("position", "=", from)
    .executeTakeFirstOrThrow();
  // A tally of which only the answer was lost, as with a connection: its own end is where to go on from.
  if (moved.numUpdatedRows === 0n) return await countersCursor(tx, spoolId);
  if (links.length > 0) await addClicks(tx, engine, links);
  // Looked at behind the links' locks, which a purge takes first: it has come before, and is seen, or sets to 0 what was added.
  if (links.length > 0) await refuseUnknownPurges(tx, purges);
  return to;
}

async function refuseUnknownPurges(tx: Transaction<Schema>, purges: readonly Purge[]): Promise<void> {
  const known = new Map(purges.map(({ linkId, before }) => [linkId, before]));
  const present = await pendingPurges(tx);
  if (present.some(({ linkId, before }) => known.get(linkId) !== before)) throw new PurgedMeanwhile();
}

/**
 * One statement for all links, which come as one JSON text: a parameter or a statement for each would cost four times
 * as much of the event loop on SQLite. Only the function that unfolds the text has another name there.
 */
async function addClicks(tx: Transaction<Schema>, engine: Engine, links: readonly LinkTally[]): Promise<void> {
  const json = JSON.stringify(links.map(({ linkId, clicks, lastClicked }) => [linkId, clicks, lastClicked]));
  const rows = engine === "sqlite" ? sql`json_each(${json})` : sql`json_array_elements(cast(${json} as json))`;
  await sql`
    update "links" set
      "clicks" = "links"."clicks" + "tally"."clicks",
      "lastClicked" = case when "links"."lastClicked" > "tally"."last" then "links"."lastClicked" else "tally"."last" end
    from (
      select "value"->>0 as "id", cast("value"->>1 as bigint) as "clicks", cast("value"->>2 as bigint) as "last"
      from ${rows}
    ) as "tally"
    where "links"."id" = "tally"."id"`.execute(tx);
}
