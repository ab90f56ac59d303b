import { type RawBuilder, sql } from "kysely";
import type { Database, Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import type { CounterDifference, StoredCounter } from "./compare-counters.ts";

/** A page of links ordered by id, compared byte by byte: at most `limit` links after `after`. */
export type CounterPage = { workspaceId: number; after: string; limit: number };

/** Counters that one query reads, so that visitors wait for only a few milliseconds. */
const countersPerReadMax = 2_000;

/** The stored counters of a page of links. */
export async function readCounters(db: Db, { workspaceId, after, limit }: CounterPage): Promise<StoredCounter[]> {
  const counters: StoredCounter[] = [];
  while (counters.length < limit) {
    const wanted = Math.min(limit - counters.length, countersPerReadMax);
    const part = await db
      .selectFrom("links")
      .select(["id as linkId", "clicks", "lastClicked"])
      .where("workspaceId", "=", workspaceId)
      .where("id", ">", counters.at(-1)?.linkId ?? after)
      .orderBy("id")
      .limit(wanted)
      .execute();
    counters.push(...part);
    if (part.length < wanted) break;
  }
  return counters;
}

/**
 * The cursors of the link counters in a spool: of the partition of links that is furthest behind, and of the furthest
 * ahead.
 */
export type CountedTo = { last: number; first: number };

/** The cursors of the link counters in every spool, by its id. */
export async function allCountersCursors(db: Db): Promise<Map<string, CountedTo>> {
  const rows = await db
    .selectFrom("counterCursors")
    .select((select) => ["spoolId", select.fn.min("position").as("last"), select.fn.max("position").as("first")])
    .groupBy("spoolId")
    .execute();
  return new Map(rows.map(({ spoolId, last, first }) => [spoolId, { last, first }]));
}

/** Counters corrected in one transaction, which holds SQLite's write lock for some milliseconds. */
const correctionsPerTransactionMax = 500;

/**
 * Corrects counters, and returns the ids of the corrected links.
 * Guarantee: a counter that has changed since it was found stays as it is. So no click is lost or counted twice while
 * others count; the next comparison reports the counter again.
 */
export async function correctCounters(
  { db, engine }: Pick<Database, "db" | "engine">,
  differences: readonly CounterDifference[],
): Promise<Set<string>> {
  const corrected = new Set<string>();
  for (let start = 0; start < differences.length; start += correctionsPerTransactionMax) {
    const part = differences.slice(start, start + correctionsPerTransactionMax);
    const json = JSON.stringify(
      part.map(({ found, right }) => [
        ...[found.linkId, found.clicks, found.lastClicked ?? -1],
        ...[right.clicks, right.lastClicked ?? -1],
      ]),
    );
    const rows = engine === "sqlite" ? sql`json_each(${json})` : sql`json_array_elements(cast(${json} as json))`;
    const { rows: updated } = await transact(db, (tx) => correction(rows).execute(tx));
    for (const { id } of updated) corrected.add(id);
  }
  return corrected;
}

/** Times are never negative, so -1 means a link that was never clicked. */
function correction(rows: RawBuilder<unknown>): RawBuilder<{ id: string }> {
  return sql<{ id: string }>`
    update "links" set "clicks" = "mend"."clicks", "lastClicked" = nullif("mend"."last", -1)
    from (
      select "value"->>0 as "id", cast("value"->>1 as bigint) as "foundClicks", cast("value"->>2 as bigint) as "foundLast",
        cast("value"->>3 as bigint) as "clicks", cast("value"->>4 as bigint) as "last"
      from ${rows}
    ) as "mend"
    where "links"."id" = "mend"."id" and "links"."clicks" = "mend"."foundClicks"
      and coalesce("links"."lastClicked", -1) = "mend"."foundLast"
    returning "links"."id" as "id"`;
}
