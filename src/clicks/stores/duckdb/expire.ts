import type { DuckDBConnection } from "@duckdb/node-api";
import type { ExpireScope } from "../../store.ts";
import { compactLevel0 } from "./compact.ts";
import { levels, rollupBucketMs, rollupColumns, sqlNames } from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";
import { markPendingVacuum } from "./vacuum.ts";

/** Moves a workspace's facts from before a moment, rounded down to a bucket, into the expired rollup. */
export async function expire(connection: DuckDBConnection, { workspaceId, before }: ExpireScope): Promise<void> {
  const end = Math.floor(before / rollupBucketMs) * rollupBucketMs;
  const old = `"workspaceId" = $1 AND "time" < $2`;
  const scope = [workspaceId, BigInt(end)];
  const found = await connection.runAndReadAll(`SELECT 1 FROM facts WHERE ${old} LIMIT 1`, scope);
  if (found.getRows().length === 0) return;
  // Afterwards the rollup includes the clicks of level 0, and need not change when clicks expire.
  await compactLevel0(connection);
  await inTransaction(connection, async () => {
    await connection.run(
      `INSERT INTO ${sqlNames.expiredRollup}
       SELECT "workspaceId", "link", "slot" * ${rollupBucketMs}, "isBot", count(*)
       FROM (SELECT "workspaceId", "link", ${rollupColumns} FROM facts WHERE ${old}) GROUP BY ALL ORDER BY ALL`,
      scope,
    );
    for (const level of levels) await connection.run(`DELETE FROM "${level}" WHERE ${old}`, scope);
    await connection.run(markPendingVacuum);
  });
}
