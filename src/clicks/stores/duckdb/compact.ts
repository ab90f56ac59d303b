import type { DuckDBConnection } from "@duckdb/node-api";
import {
  factColumnsSql,
  type Level,
  level0,
  level1,
  level2,
  rollupColumns,
  sortOrder,
  sqlNames,
  tables,
} from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";

/** Compaction: how many facts a level holds before they are sorted onto the end of the next one. */
export type LevelBounds = { level0: number; level1: number };

/**
 * DuckDB scans 250,000 facts of level 0 in a millisecond or two. Level 1 has up to 32 sorted runs of that size, and a
 * query about one link reads one or two row groups (attach.ts) in each. Sorting 8 million facts takes seconds and a
 * gigabyte.
 */
export const usualLevelBounds: LevelBounds = { level0: 250_000, level1: 8_000_000 };

/** The number of facts in a level. */
export async function countRows(connection: DuckDBConnection, level: Level): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*) FROM "${level}"`);
  return Number(result.getRows()[0]?.[0]);
}

/** Sorts level 0 onto the end of level 1 and adds it to the rollup. With `isFolding`, also folds the rollup. */
export async function compactLevel0(connection: DuckDBConnection, isFolding = false): Promise<void> {
  await inTransaction(connection, async () => {
    await appendSorted(connection, level0, level1);
    await addToRollup(connection, level0);
    await recreate(connection, level0);
    if (isFolding) await foldRollup(connection);
  });
}

/** Sorts level 1 onto the end of level 2. No other compaction may run at the same time. */
export async function compactLevel1(connection: DuckDBConnection): Promise<void> {
  await inTransaction(connection, async () => {
    await appendSorted(connection, level1, level2);
    await recreate(connection, level1);
  });
}

async function addToRollup(connection: DuckDBConnection, level: Level): Promise<void> {
  await connection.run(
    `INSERT INTO ${sqlNames.rollup}
     SELECT "workspaceId", ${rollupColumns}, count(*)
     FROM "${level}" GROUP BY ALL ORDER BY ALL`,
  );
}

/** Merges the rows of many compactions into one sorted row per bucket, so that a query reads those of its workspace. */
async function foldRollup(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE folded AS
     SELECT "workspaceId", "slot", "bot", sum("clicks")::BIGINT AS "clicks" FROM ${sqlNames.rollup}
     GROUP BY ALL HAVING sum("clicks") <> 0 ORDER BY ALL`,
  );
  await connection.run(`CREATE OR REPLACE TABLE ${sqlNames.rollup} ${tables[sqlNames.rollup]}`);
  await connection.run(`INSERT INTO ${sqlNames.rollup} FROM folded`);
  await connection.run("DROP TABLE folded");
}

async function appendSorted(connection: DuckDBConnection, from: Level, to: Level): Promise<void> {
  await connection.run(`INSERT INTO "${to}" SELECT * FROM "${from}" ORDER BY ${sortOrder}`);
}

/** Replaces the table with an empty one. Statements that already read the old table finish on it. */
async function recreate(connection: DuckDBConnection, level: Level): Promise<void> {
  await connection.run(`CREATE OR REPLACE TABLE "${level}" ${factColumnsSql()}`);
}
