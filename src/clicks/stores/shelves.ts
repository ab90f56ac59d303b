import type { DuckDBConnection } from "@duckdb/node-api";
import { factsShape, type Shelf, slotColumns, sortOrder, tables } from "./facts.ts";
import { inTransaction } from "./transaction.ts";

/** Facts that a shelf holds before they are sorted onto the next one. */
export type ShelfBounds = { fresh: number; recent: number };

/**
 * A quarter of a million fresh facts are read through in a millisecond or two. Of eight million recent ones, in runs of a
 * quarter of a million, a question about one link reads a row group or two (attach.ts) in each of the 32 runs; sorting
 * them takes some seconds and a gigabyte.
 */
export const usualBounds: ShelfBounds = { fresh: 250_000, recent: 8_000_000 };

/** How many facts lie on a shelf. */
export async function countFacts(connection: DuckDBConnection, shelf: Shelf): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*) FROM "${shelf}"`);
  return Number(result.getRows()[0]?.[0]);
}

/** Sorts the fresh facts onto the recent shelf, and adds them to the slots; those of all moves are folded when asked. */
export async function settleFresh(connection: DuckDBConnection, isFolding = false): Promise<void> {
  await inTransaction(connection, async () => {
    await moveOn(connection, "fresh", "recent");
    await addToSlots(connection, "fresh");
    await clear(connection, "fresh");
    if (isFolding) await foldSlots(connection);
  });
}

/** Sorts the recent facts onto the settled shelf. Nobody else may move facts meanwhile. */
export async function settleRecent(connection: DuckDBConnection): Promise<void> {
  await inTransaction(connection, async () => {
    await moveOn(connection, "recent", "settled");
    await clear(connection, "recent");
  });
}

async function addToSlots(connection: DuckDBConnection, shelf: Shelf): Promise<void> {
  await connection.run(
    `INSERT INTO slots
     SELECT "workspaceId", ${slotColumns}, count(*)
     FROM "${shelf}" GROUP BY ALL ORDER BY ALL`,
  );
}

/** One row for each slot, sorted by workspace: of the rows of many moves, a question about one reads those of all. */
async function foldSlots(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE folded AS
     SELECT "workspaceId", "slot", "bot", sum("clicks")::BIGINT AS "clicks" FROM slots
     GROUP BY ALL HAVING sum("clicks") <> 0 ORDER BY ALL`,
  );
  await connection.run(`CREATE OR REPLACE TABLE slots ${tables.slots}`);
  await connection.run("INSERT INTO slots FROM folded");
  await connection.run("DROP TABLE folded");
}

async function moveOn(connection: DuckDBConnection, from: Shelf, to: Shelf): Promise<void> {
  await connection.run(`INSERT INTO "${to}" SELECT * FROM "${from}" ORDER BY ${sortOrder}`);
}

/** A new table in place of the old one: whoever reads the old one meanwhile reads on. */
async function clear(connection: DuckDBConnection, shelf: Shelf): Promise<void> {
  await connection.run(`CREATE OR REPLACE TABLE "${shelf}" ${factsShape()}`);
}
