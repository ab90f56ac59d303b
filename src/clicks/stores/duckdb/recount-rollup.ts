import type { DuckDBConnection } from "@duckdb/node-api";
import { type AggregateRecount, type AggregateRecountOrder, aggregateDifferencesMax } from "../../recount.ts";
import { rollupBucketMs, rollupColumns, sqlNames } from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Recounts a workspace's rollup from levels 1 and 2 and the expired rollup, and corrects it with `corrects`.
 * Level 1 may be compacted at the same time: the transaction sees each fact once, in level 1 or in level 2.
 */
export async function recountAggregates(
  connection: DuckDBConnection,
  { workspaceId, corrects }: AggregateRecountOrder,
): Promise<AggregateRecount> {
  return await inTransaction(connection, async () => {
    await recount(connection, workspaceId);
    const found = await recounted(connection);
    // Corrections are rows that are added up with the others, as for erased clicks.
    if (corrects && found.differencesCount > 0) {
      await connection.run(
        `INSERT INTO ${sqlNames.rollup} SELECT $1, "slot", "isBot", "counted" - "added" FROM recounted
         WHERE "added" <> "counted" ORDER BY "slot", "isBot"`,
        [workspaceId],
      );
    }
    await connection.run("DROP TABLE recounted");
    return found;
  });
}

async function recount(connection: DuckDBConnection, workspaceId: number): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE recounted AS
     WITH counted AS (
       SELECT ${rollupColumns}, sum("clicks") AS "clicks"
       FROM (
         SELECT "time", "bot", 1 AS "clicks" FROM ${sqlNames.compactedFacts} WHERE "workspaceId" = $1
         UNION ALL SELECT "time", "bot", "clicks" FROM ${sqlNames.expiredRollup} WHERE "workspaceId" = $1
       ) GROUP BY ALL
     ), added AS (
       SELECT "slot", "bot" AS "isBot", sum("clicks") AS "clicks" FROM ${sqlNames.rollup} WHERE "workspaceId" = $1 GROUP BY ALL
     )
     SELECT "slot", "isBot", coalesce(added."clicks", 0)::BIGINT AS "added", coalesce(counted."clicks", 0)::BIGINT AS "counted"
     FROM counted FULL JOIN added USING ("slot", "isBot")
     WHERE added."clicks" <> 0 OR counted."clicks" <> 0`,
    [workspaceId],
  );
}

async function recounted(connection: DuckDBConnection): Promise<AggregateRecount> {
  const counts = await connection.runAndReadAll(
    `SELECT count(*), count(*) FILTER ("added" <> "counted") FROM recounted`,
  );
  const [compared, differencesCount] = counts.getRows()[0] ?? [];
  const differences = await connection.runAndReadAll(
    `SELECT "slot", "isBot", "added", "counted" FROM recounted WHERE "added" <> "counted"
     ORDER BY "slot", "isBot" LIMIT ${aggregateDifferencesMax}`,
  );
  return {
    compared: Number(compared),
    differencesCount: Number(differencesCount),
    differences: differences.getRows().map(([bucket, isBot, added, counted]) => ({
      from: Number(bucket) * rollupBucketMs,
      isBot: Number(isBot) === 1,
      added: Number(added),
      counted: Number(counted),
    })),
  };
}
