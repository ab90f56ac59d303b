import type { DuckDBConnection } from "@duckdb/node-api";
import type { EraseScope } from "../../store.ts";
import { dimensionTables, levels, ownedDimensions, rollupColumns, sqlNames } from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";
import { markPendingVacuum } from "./vacuum.ts";

/** Erases the facts of a workspace or of one of its links, their texts, and their counts in both rollups. */
export async function erase(connection: DuckDBConnection, scope: EraseScope): Promise<void> {
  if (!("linkId" in scope)) return await inTransaction(connection, () => eraseWorkspace(connection, scope.workspaceId));
  await inTransaction(connection, () => eraseLink(connection, scope));
}

async function eraseWorkspace(connection: DuckDBConnection, workspaceId: number): Promise<void> {
  const owned = ownedDimensions.map((name) => dimensionTables[name].table);
  for (const table of [...levels, sqlNames.rollup, sqlNames.expiredRollup, ...owned]) {
    await connection.run(`DELETE FROM "${table}" WHERE "workspaceId" = $1`, [workspaceId]);
  }
  await connection.run(markPendingVacuum);
}

async function eraseLink(
  connection: DuckDBConnection,
  { workspaceId, linkId, before = Number.MAX_SAFE_INTEGER }: Extract<EraseScope, { linkId: string }>,
): Promise<void> {
  const scope = [workspaceId, linkId, BigInt(before)];
  const numbers = `(SELECT "number" FROM links WHERE "workspaceId" = $1 AND "linkId" = $2)`;
  const isErased = `"workspaceId" = $1 AND "link" IN ${numbers} AND "time" < $3`;
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM facts WHERE ${isErased} UNION ALL SELECT 1 FROM ${sqlNames.expiredRollup} WHERE ${isErased} LIMIT 1`,
    scope,
  );
  // A vacuum takes minutes, so nothing is marked for it when nothing was erased.
  if (found.getRows().length === 0) return;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE erased AS SELECT DISTINCT "url" FROM facts WHERE ${isErased}`,
    scope,
  );
  // Rows with negative counts subtract the erased clicks, since counts of expired clicks cannot be counted again.
  await connection.run(
    `INSERT INTO ${sqlNames.rollup}
     SELECT "workspaceId", ${rollupColumns}, -sum("clicks")
     FROM (
       SELECT "workspaceId", "time", "bot", 1 AS "clicks" FROM ${sqlNames.compactedFacts} WHERE ${isErased}
       UNION ALL SELECT "workspaceId", "time", "bot", "clicks" FROM ${sqlNames.expiredRollup} WHERE ${isErased}
     ) GROUP BY ALL`,
    scope,
  );
  for (const table of [...levels, sqlNames.expiredRollup])
    await connection.run(`DELETE FROM "${table}" WHERE ${isErased}`, scope);
  const usedIn = (table: string) => `SELECT "link" FROM ${table} WHERE "workspaceId" = $1 AND "link" IN ${numbers}`;
  await connection.run(
    `DELETE FROM links WHERE "workspaceId" = $1 AND "linkId" = $2
       AND "number" NOT IN (${usedIn("facts")} UNION ALL ${usedIn(sqlNames.expiredRollup)})`,
    [workspaceId, linkId],
  );
  // URLs that no other click of the workspace has.
  await connection.run(
    `DELETE FROM urls WHERE "workspaceId" = $1 AND "number" IN (FROM erased)
       AND "number" NOT IN (SELECT "url" FROM facts WHERE "workspaceId" = $1)`,
    [workspaceId],
  );
  await connection.run("DROP TABLE erased");
  await connection.run(markPendingVacuum);
}
