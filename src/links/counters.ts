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
import type { Database, DatabaseLocation, Db } from "../database/database.ts";
import type { Engine } from "../database/engine.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { pendingPurges } from "./pending-purges.ts";

/** Timeout of one step, including the wait for a lock. */
const callTimeMaxMs = 30 * secondMs;
/**
 * Timeout of counting. It takes a second of work, but visitors who fill the core leave the thread a hundredth of it.
 */
const countTimeMaxMs = 10 * minuteMs;

/**
 * The spool to count, and whether the thread may pause while visitors keep the core busy (core-pauses.ts).
 */
export type CountArgument = SpoolLocation & { mayPause: boolean };

/** TABLE of the calls to the counters' thread. */
export type CountersVerbs = {
  start: { argument: DatabaseLocation; result: undefined };
  count: { argument: CountArgument; result: number };
  /** Counts a range of a spool without changing any counter. */
  tally: { argument: SpoolRange; result: RangeTally };
  /** Checkpoints SQLite: moves its log into its file. This thread writes anyway. */
  checkpoint: { argument: undefined; result: undefined };
  close: { argument: undefined; result: undefined };
};

/** The links' counters: a reader of the spool, in its own thread with its own connection. */
export type Counters = {
  /** Counts the next part of the spool and returns the new cursor. An interrupted call can be repeated. */
  count(spool: CountArgument): Promise<number>;
  /** The human clicks in a range of a spool, by link. Moves no cursor. A range of some megabytes takes a second. */
  tally(range: SpoolRange): Promise<RangeTally>;
  /** Checkpoints SQLite: moves its log into its file. Can be called at any time, on SQLite only. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the counters of a database whose tables are up to date. The first call starts the thread, so that an unused service has
 * none, which would take 7 MiB.
 */
export function openCounters(location: DatabaseLocation): Counters {
  const file = new URL("./counters-worker.ts", import.meta.url);
  let thread: Thread<CountersVerbs> | undefined;
  const started = () => (thread ??= new Thread<CountersVerbs>(file, callTimeMaxMs, location));
  return {
    count: (spool) => started().call("count", spool, countTimeMaxMs),
    tally: (range) => started().call("tally", range),
    checkpoint: () => started().call("checkpoint", undefined),
    async close() {
      try {
        await thread?.call("close", undefined);
      } finally {
        thread?.terminate();
      }
    },
  };
}

/**
 * Records that the counters have passed `position`, so that the spool may delete what lies before it. The commit is
 * synced, and with it the counters' own commits before it: a power loss cannot set the counters back behind deleted
 * clicks.
 */
export async function recordAcknowledged(db: Db, spoolId: string, position: number): Promise<void> {
  await db
    .insertInto("releases")
    .values({ spoolId, position })
    .onConflict((conflict) => conflict.column("spoolId").doUpdateSet({ position }))
    .execute();
}

/** The position that recordAcknowledged stored for a spool; 0 when there is none. */
export async function acknowledgedPosition(db: Db, spoolId: string): Promise<number> {
  const row = await db.selectFrom("releases").select("position").where("spoolId", "=", spoolId).executeTakeFirst();
  return row?.position ?? 0;
}

/** Makes the database know a spool, also before any of its clicks is counted. */
export async function registerSpool(db: Db, spoolId: string): Promise<void> {
  await insertCursors(db, spoolId, [0]);
}

/** The lowest cursor of the link counters in a spool; 0 for an unknown spool. */
export async function countersCursor(db: Db, spoolId: string): Promise<number> {
  return Math.min(...(await counterPositions(db, spoolId)));
}

/** The cursors of the link counters in a spool, one for each partition of the links. */
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

/**
 * Links updated in one transaction, unless one partition has more. They hold SQLite's write lock for 1 ms among 10,000 links
 * and 6 ms among 100,000.
 */
const batchLinksMax = 250;

/**
 * Adds a tally to `clicks` and `lastClicked` of its links and moves the cursors of their partitions, a few partitions per
 * transaction, with `pause` between. Returns the lowest cursor afterwards, where the next tally must begin.
 * Guarantee: idempotent, since a partition that does not begin at its cursor changes nothing. After an interruption each
 * partition is applied or not. Deleted links are skipped. `purges` are those that the tally was folded with; when others
 * exist by now, the partitions not yet applied change nothing.
 */
export async function applyTally(
  { db, engine }: Pick<Database, "db" | "engine">,
  spoolId: string,
  tally: Tally,
  purges: readonly Purge[] = [],
  pause?: () => Promise<void>,
): Promise<number> {
  try {
    for (const [index, partitions] of batchesOf(tally.partitions).entries()) {
      if (index > 0) await pause?.();
      await transact(db, (tx) => moveCounters(tx, engine, { spoolId, to: tally.to, partitions, purges }));
    }
  } catch (error) {
    if (!(error instanceof StaleTally)) throw error;
  }
  return await countersCursor(db, spoolId);
}

/** The tally is stale: clicks were purged after it was folded, or another tally of the same clicks was applied. */
class StaleTally extends Error {}

/** Groups partitions that begin at the same position, few enough for one transaction. */
function batchesOf(partitions: readonly PartitionTally[]): PartitionTally[][] {
  const groups: PartitionTally[][] = [];
  let links = 0;
  for (const partition of partitions) {
    const group = groups.at(-1);
    links += partition.links.length;
    if (group !== undefined && group[0]?.from === partition.from && links <= batchLinksMax) {
      group.push(partition);
    } else {
      groups.push([partition]);
      links = partition.links.length;
    }
  }
  return groups;
}

type Move = { spoolId: string; to: number; partitions: readonly PartitionTally[]; purges: readonly Purge[] };

async function moveCounters(
  tx: Transaction<Schema>,
  engine: Engine,
  { spoolId, to, partitions, purges }: Move,
): Promise<void> {
  const from = partitions[0]?.from ?? 0;
  const numbers = partitions.map(({ partition }) => partition);
  if (from === 0) await insertCursors(tx, spoolId, numbers);
  const moved = await tx
    .updateTable("counterCursors")
    .set({ position: to })
    .where("spoolId", "=", spoolId)
    .where("part", "in", numbers)
    .where("position", "=", from)
    .executeTakeFirstOrThrow();
  // The tally was applied but its answer was lost, for instance with the connection: the next tally begins at its end.
  if (moved.numUpdatedRows !== BigInt(numbers.length)) throw new StaleTally();
  const links = partitions.flatMap((partition) => partition.links);
  if (links.length === 0) return;
  await addClicks(tx, engine, links);
  // Read after the links are locked, since a purge locks them first: either the purge came before and is seen here, or
  // it sets to 0 what was added.
  await refuseUnknownPurges(tx, purges);
}

async function insertCursors(db: Db, spoolId: string, partitions: readonly number[]): Promise<void> {
  await db
    .insertInto("counterCursors")
    .values(partitions.map((part) => ({ spoolId, part, position: 0 })))
    .onConflict((conflict) => conflict.columns(["spoolId", "part"]).doNothing())
    .execute();
}

async function refuseUnknownPurges(tx: Transaction<Schema>, purges: readonly Purge[]): Promise<void> {
  const known = new Map(purges.map(({ linkId, before }) => [linkId, before]));
  const present = await pendingPurges(tx);
  if (present.some(({ linkId, before }) => known.get(linkId) !== before)) throw new StaleTally();
}

/**
 * One statement for all links, which it takes as one JSON text: on SQLite, a parameter or a statement for each link would
 * take four times as long. The engines name the function that unfolds the JSON differently.
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
