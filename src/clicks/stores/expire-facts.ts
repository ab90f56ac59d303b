import type { DuckDBConnection } from "@duckdb/node-api";
import type { ExpireScope } from "../store.ts";
import { shelves, slotColumns, slotMs } from "./facts.ts";
import { leaveBytes } from "./rewrite.ts";
import { settleFresh } from "./shelves.ts";
import { inTransaction } from "./transaction.ts";

/** Removes a workspace's facts from before a moment, rounded down to a quarter of an hour, into the totals. */
export async function expire(connection: DuckDBConnection, { workspaceId, before }: ExpireScope): Promise<void> {
  const end = Math.floor(before / slotMs) * slotMs;
  const old = `"workspaceId" = $1 AND "time" < $2`;
  const scope = [workspaceId, BigInt(end)];
  const found = await connection.runAndReadAll(`SELECT 1 FROM facts WHERE ${old} LIMIT 1`, scope);
  if (found.getRows().length === 0) return;
  // So that each of them is in the slots, which stay as they are.
  await settleFresh(connection);
  await inTransaction(connection, async () => {
    await connection.run(
      `INSERT INTO totals
       SELECT "workspaceId", "link", "slot" * ${slotMs}, "isBot", count(*)
       FROM (SELECT "workspaceId", "link", ${slotColumns} FROM facts WHERE ${old}) GROUP BY ALL ORDER BY ALL`,
      scope,
    );
    for (const shelf of shelves) await connection.run(`DELETE FROM "${shelf}" WHERE ${old}`, scope);
    await connection.run(leaveBytes);
  });
}
