import type { DuckDBConnection } from "@duckdb/node-api";
import { type SlotRecount, type SlotRecountOrder, slotDifferencesMax } from "../recount.ts";
import { slotColumns, slotMs } from "./facts.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Counts a workspace's slots again, from the facts behind the fresh shelf and the totals, and corrects them where asked.
 * Facts may be moved to the settled shelf meanwhile: the transaction sees them once, before or after.
 */
export async function recountSlots(
  connection: DuckDBConnection,
  { workspaceId, mends }: SlotRecountOrder,
): Promise<SlotRecount> {
  return await inTransaction(connection, async () => {
    await recount(connection, workspaceId);
    const found = await recounted(connection);
    // By rows of their own, as erased clicks are taken away.
    if (mends && found.differencesCount > 0) {
      await connection.run(
        `INSERT INTO slots SELECT $1, "slot", "isBot", "counted" - "added" FROM recounted
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
       SELECT ${slotColumns}, sum("clicks") AS "clicks"
       FROM (
         SELECT "time", "bot", 1 AS "clicks" FROM shelved WHERE "workspaceId" = $1
         UNION ALL SELECT "time", "bot", "clicks" FROM totals WHERE "workspaceId" = $1
       ) GROUP BY ALL
     ), added AS (
       SELECT "slot", "bot" AS "isBot", sum("clicks") AS "clicks" FROM slots WHERE "workspaceId" = $1 GROUP BY ALL
     )
     SELECT "slot", "isBot", coalesce(added."clicks", 0)::BIGINT AS "added", coalesce(counted."clicks", 0)::BIGINT AS "counted"
     FROM counted FULL JOIN added USING ("slot", "isBot")
     WHERE added."clicks" <> 0 OR counted."clicks" <> 0`,
    [workspaceId],
  );
}

async function recounted(connection: DuckDBConnection): Promise<SlotRecount> {
  const counts = await connection.runAndReadAll(
    `SELECT count(*), count(*) FILTER ("added" <> "counted") FROM recounted`,
  );
  const [slots, differencesCount] = counts.getRows()[0] ?? [];
  const differences = await connection.runAndReadAll(
    `SELECT "slot", "isBot", "added", "counted" FROM recounted WHERE "added" <> "counted"
     ORDER BY "slot", "isBot" LIMIT ${slotDifferencesMax}`,
  );
  return {
    slots: Number(slots),
    differencesCount: Number(differencesCount),
    differences: differences.getRows().map(([slot, isBot, added, counted]) => ({
      from: Number(slot) * slotMs,
      isBot: Number(isBot) === 1,
      added: Number(added),
      counted: Number(counted),
    })),
  };
}
