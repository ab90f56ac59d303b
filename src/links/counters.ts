import { sql, type Transaction } from "kysely";
import { Thread } from "../base/thread.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { SpoolLocation } from "../clicks/ingest.ts";
import type { Purge } from "../clicks/purge.ts";
import {
  allPartitionsAt,
  type LinkTally,
  type PartitionTally,
  type RangeTally,
  type SpoolRange,
  type Tally,
} from "../clicks/tally.ts";
import type { Database, DatabaseLocation, Db, Engine } from "../database/database.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { pendingPurges } from "./pending-purges.ts";

/** The longest one step may take, waiting for a lock included. */
const callTimeMaxMs = 30 * secondMs;
/** Of counting: a second of work, for which visitors who fill the core leave the thread a hundredth of it. */
const countTimeMaxMs = 10 * minuteMs;

/** TABLE of what the counters' thread does. */
export type CountersVerbs = {
  start: { argument: DatabaseLocation; result: undefined };
  /** Counts the next part of the spool; the result is the new cursor. */
  count: { argument: SpoolLocation; result: number };
  /** Counts a stretch of a spool, for nobody but the caller. */
  tally: { argument: SpoolRange; result: RangeTally };
  /** Moves what SQLite's log holds into its file; a thread that writes anyway is the place for it. */
  checkpoint: { argument: undefined; result: undefined };
  close: { argument: undefined; result: undefined };
};

/** The links' counters: a reader of the spool in a thread of its own, with a connection of its own. */
export type Counters = {
  /** Counts the next part of the spool; resolves with the new cursor. Interrupted anywhere, it may be repeated. */
  count(spool: SpoolLocation): Promise<number>;
  /** The human clicks of a stretch of a spool by link; it moves no cursor. Of some megabytes, it takes a second. */
  tally(range: SpoolRange): Promise<RangeTally>;
  /** Moves what SQLite's log holds into its file. May be called at any time; on SQLite alone. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
};

/** Starts the thread on a database whose tables are up to date. */
export function startCounters(location: DatabaseLocation): Counters {
  const file = new URL("./counters-worker.ts", import.meta.url);
  const thread = new Thread<CountersVerbs>(file, callTimeMaxMs, location);
  return {
    count: (spool) => thread.call("count", spool, countTimeMaxMs),
    tally: (range) => thread.call("tally", range),
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

/**
 * Records that the spool may delete what lies before `position`, which the counters have passed. The commit is synced,
 * and with it the counters' own before it: power loss cannot set them back behind clicks that are gone.
 */
export async function recordAcknowledged(db: Db, spoolId: string, position: number): Promise<void> {
  await db
    .insertInto("releases")
    .values({ spoolId, position })
    .onConflict((conflict) => conflict.column("spoolId").doUpdateSet({ position }))
    .execute();
}

/** How far a spool may be deleted, as recorded by recordAcknowledged; 0 when nothing was. */
export async function acknowledgedPosition(db: Db, spoolId: string): Promise<number> {
  const row = await db.selectFrom("releases").select("position").where("spoolId", "=", spoolId).executeTakeFirst();
  return row?.position ?? 0;
}

/** How far the link counters have come in a spool with all links; 0 for one never seen. */
export async function countersCursor(db: Db, spoolId: string): Promise<number> {
  return Math.min(...(await counterPositions(db, spoolId)));
}

/** How far the link counters have come in a spool with each part of the links. */
export async function counterPositions(db: Db, spoolId: string): Promise<number[]> {
  const rows = await db
    .selectFrom("counterCursors")
    .select(["part", "position"])
    .where("spoolId", "=", spoolId)
    .execute();
  const positions = allPartitionsAt(0);
  for (const { part, position } of rows) positions[part] = position;
  return positions;
}

/** Links updated in one transaction, unless one part has more: 1 ms of SQLite's write lock among 10,000 links, 6 ms among 100,000. */
const updatedAtOnceMax = 250;

/**
 * Adds a tally to `clicks` and `lastClicked` of its links and moves the cursors of their parts, a few parts in each
 * transaction, with a pause between; returns the lowest cursor as it then is, where the next tally has to begin.
 * Guarantee: idempotent, since a part that does not begin at its cursor changes nothing; interrupted anywhere, each part
 * is applied or not. Links deleted meanwhile are passed over. `purges` are those that the tally was folded with; when
 * there are others by now, the parts not yet applied change nothing.
 */
export async function applyTally(
  { db, engine }: Pick<Database, "db" | "engine">,
  spoolId: string,
  tally: Tally,
  purges: readonly Purge[] = [],
  pauseMs = 0,
): Promise<number> {
  try {
    for (const [index, parts] of batchesOf(tally.parts).entries()) {
      if (index > 0 && pauseMs > 0) await Bun.sleep(pauseMs);
      await transact(db, (tx) => moveCounters(tx, engine, { spoolId, to: tally.to, parts, purges }));
    }
  } catch (error) {
    if (!(error instanceof StaleTally)) throw error;
  }
  return await countersCursor(db, spoolId);
}

/** The tally was folded before something that has come between: purged clicks, or another tally of the same ones. */
class StaleTally extends Error {}

/** Parts that begin at the same position, few enough for one transaction. */
function batchesOf(parts: readonly PartitionTally[]): PartitionTally[][] {
  const groups: PartitionTally[][] = [];
  let links = 0;
  for (const part of parts) {
    const group = groups.at(-1);
    links += part.links.length;
    if (group !== undefined && group[0]?.from === part.from && links <= updatedAtOnceMax) {
      group.push(part);
    } else {
      groups.push([part]);
      links = part.links.length;
    }
  }
  return groups;
}

type Move = { spoolId: string; to: number; parts: readonly PartitionTally[]; purges: readonly Purge[] };

async function moveCounters(
  tx: Transaction<Schema>,
  engine: Engine,
  { spoolId, to, parts, purges }: Move,
): Promise<void> {
  const from = parts[0]?.from ?? 0;
  const named = parts.map(({ part }) => part);
  if (from === 0) await insertCursors(tx, spoolId, named);
  const moved = await tx
    .updateTable("counterCursors")
    .set({ position: to })
    .where("spoolId", "=", spoolId)
    .where("part", "in", named)
    .where("position", "=", from)
    .executeTakeFirstOrThrow();
  // A tally of which only the answer was lost, as with a connection: its own end is where to go on from.
  if (moved.numUpdatedRows !== BigInt(named.length)) throw new StaleTally();
  const links = parts.flatMap((part) => part.links);
  if (links.length === 0) return;
  await addClicks(tx, engine, links);
  // Looked at behind the links' locks, which a purge takes first: it has come before, and is seen, or sets to 0 what was added.
  await refuseUnknownPurges(tx, purges);
}

async function insertCursors(tx: Transaction<Schema>, spoolId: string, parts: readonly number[]): Promise<void> {
  await tx
    .insertInto("counterCursors")
    .values(parts.map((part) => ({ spoolId, part, position: 0 })))
    .onConflict((conflict) => conflict.columns(["spoolId", "part"]).doNothing())
    .execute();
}

async function refuseUnknownPurges(tx: Transaction<Schema>, purges: readonly Purge[]): Promise<void> {
  const known = new Map(purges.map(({ linkId, before }) => [linkId, before]));
  const present = await pendingPurges(tx);
  if (present.some(({ linkId, before }) => known.get(linkId) !== before)) throw new StaleTally();
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
