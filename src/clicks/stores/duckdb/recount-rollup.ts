import type { DuckDBConnection } from "@duckdb/node-api";
import { type RollupRecount, type RollupRecountRequest, rollupDifferencesMax } from "../../recount.ts";
import { rollupBucketMs, rollupColumns, sqlNames } from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Compares a workspace's rollup with a recount of levels 1 and 2 and the expired rollup; if `corrects` is true, also
 * corrects it. Level 1 may be compacted at the same time: the transaction sees each fact once, in level 1 or in
 * level 2.
 */
export async function recountRollup(
  connection: DuckDBConnection,
  { workspaceId, corrects }: RollupRecountRequest,
): Promise<RollupRecount> {
  return await inTransaction(connection, async () => {
    await createComparison(connection, workspaceId);
    const found = await readComparison(connection);
    // As for erased clicks, a correction is another row of the bucket: reports add all of them.
    if (corrects && found.differencesCount > 0) {
      await connection.run(
        `INSERT INTO ${sqlNames.rollup} SELECT $1, "slot", "isBot", "storedClicks" - "rollupClicks" FROM comparison
         WHERE "rollupClicks" <> "storedClicks" ORDER BY "slot", "isBot"`,
        [workspaceId],
      );
    }
    await connection.run("DROP TABLE comparison");
    return found;
  });
}

/** Creates a temporary table with both counts of each bucket that has clicks in either. */
async function createComparison(connection: DuckDBConnection, workspaceId: number): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE comparison AS
     WITH stored AS (
       SELECT ${rollupColumns}, sum("clicks") AS "clicks"
       FROM (
         SELECT "time", "bot", 1 AS "clicks" FROM ${sqlNames.compactedFacts} WHERE "workspaceId" = $1
         UNION ALL SELECT "time", "bot", "clicks" FROM ${sqlNames.expiredRollup} WHERE "workspaceId" = $1
       ) GROUP BY ALL
     ), rollup AS (
       SELECT "slot", "bot" AS "isBot", sum("clicks") AS "clicks" FROM ${sqlNames.rollup} WHERE "workspaceId" = $1 GROUP BY ALL
     )
     SELECT "slot", "isBot", coalesce(rollup."clicks", 0)::BIGINT AS "rollupClicks",
       coalesce(stored."clicks", 0)::BIGINT AS "storedClicks"
     FROM stored FULL JOIN rollup USING ("slot", "isBot")
     WHERE rollup."clicks" <> 0 OR stored."clicks" <> 0`,
    [workspaceId],
  );
}

async function readComparison(connection: DuckDBConnection): Promise<RollupRecount> {
  const counts = await connection.runAndReadAll(
    `SELECT count(*), count(*) FILTER ("rollupClicks" <> "storedClicks") FROM comparison`,
  );
  const [compared, differencesCount] = counts.getRows()[0] ?? [];
  const differences = await connection.runAndReadAll(
    `SELECT "slot", "isBot", "rollupClicks", "storedClicks" FROM comparison
     WHERE "rollupClicks" <> "storedClicks"
     ORDER BY "slot", "isBot" LIMIT ${rollupDifferencesMax}`,
  );
  return {
    compared: Number(compared),
    differencesCount: Number(differencesCount),
    differences: differences.getRows().map(([bucket, isBot, rollupClicks, storedClicks]) => ({
      from: Number(bucket) * rollupBucketMs,
      isBot: Number(isBot) === 1,
      rollupClicks: Number(rollupClicks),
      storedClicks: Number(storedClicks),
    })),
  };
}
