import type { DuckDBConnection } from "@duckdb/node-api";
import { factColumnsSql, type Level, rollupColumns, sortOrder, tables } from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";

/** Facts that a level holds before they are sorted onto the next one. */
export type LevelBounds = { level0: number; level1: number };

/**
 * A quarter of a million fresh facts are read through in a millisecond or two. Of eight million recent ones, in runs of a
 * quarter of a million, a question about one link reads a row group or two (attach.ts) in each of the 32 runs; sorting
 * them takes some seconds and a gigabyte.
 */
export const usualLevelBounds: LevelBounds = { level0: 250_000, level1: 8_000_000 };

/** How many facts lie on a level. */
export async function countRows(connection: DuckDBConnection, level: Level): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*) FROM "${level}"`);
  return Number(result.getRows()[0]?.[0]);
}

/** Sorts the fresh facts onto the recent level, and adds them to the slots; those of all moves are folded when asked. */
export async function compactLevel0(connection: DuckDBConnection, isFolding = false): Promise<void> {
  await inTransaction(connection, async () => {
    await appendSorted(connection, "fresh", "recent");
    await addToRollup(connection, "fresh");
    await recreate(connection, "fresh");
    if (isFolding) await foldRollup(connection);
  });
}

/** Sorts the recent facts onto the settled level. Nobody else may move facts meanwhile. */
export async function compactLevel1(connection: DuckDBConnection): Promise<void> {
  await inTransaction(connection, async () => {
    await appendSorted(connection, "recent", "settled");
    await recreate(connection, "recent");
  });
}

async function addToRollup(connection: DuckDBConnection, level: Level): Promise<void> {
  await connection.run(
    `INSERT INTO slots
     SELECT "workspaceId", ${rollupColumns}, count(*)
     FROM "${level}" GROUP BY ALL ORDER BY ALL`,
  );
}

/** One row for each slot, sorted by workspace: of the rows of many moves, a question about one reads those of all. */
async function foldRollup(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE folded AS
     SELECT "workspaceId", "slot", "bot", sum("clicks")::BIGINT AS "clicks" FROM slots
     GROUP BY ALL HAVING sum("clicks") <> 0 ORDER BY ALL`,
  );
  await connection.run(`CREATE OR REPLACE TABLE slots ${tables.slots}`);
  await connection.run("INSERT INTO slots FROM folded");
  await connection.run("DROP TABLE folded");
}

async function appendSorted(connection: DuckDBConnection, from: Level, to: Level): Promise<void> {
  await connection.run(`INSERT INTO "${to}" SELECT * FROM "${from}" ORDER BY ${sortOrder}`);
}

/** A new table in place of the old one: whoever reads the old one meanwhile reads on. */
async function recreate(connection: DuckDBConnection, level: Level): Promise<void> {
  await connection.run(`CREATE OR REPLACE TABLE "${level}" ${factColumnsSql()}`);
}
