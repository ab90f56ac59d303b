import type { DuckDBConnection } from "@duckdb/node-api";
import { ownedParts, parts, shelves, slotMs } from "./facts.ts";
import { leaveBytes } from "./rewrite.ts";
import { inTransaction } from "./transaction.ts";

/** Removes the facts of a workspace, or of one of its links, with their texts and what was added up of them. */
export async function erase(
  connection: DuckDBConnection,
  { workspaceId, linkId }: { workspaceId: number; linkId?: string },
): Promise<void> {
  await inTransaction(connection, async () => {
    if (linkId === undefined) await eraseWorkspace(connection, workspaceId);
    else await eraseLink(connection, workspaceId, linkId);
    await connection.run(leaveBytes);
  });
}

async function eraseWorkspace(connection: DuckDBConnection, workspaceId: number): Promise<void> {
  const owned = ownedParts.map((name) => parts[name].table);
  for (const table of [...shelves, "slots", "totals", ...owned]) {
    await connection.run(`DELETE FROM "${table}" WHERE "workspaceId" = $1`, [workspaceId]);
  }
}

async function eraseLink(connection: DuckDBConnection, workspaceId: number, linkId: string): Promise<void> {
  const scope = [workspaceId, linkId];
  const itsOwn = `"workspaceId" = $1 AND "link" IN (SELECT "number" FROM links WHERE "workspaceId" = $1 AND "linkId" = $2)`;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE erased AS SELECT DISTINCT "url" FROM facts WHERE ${itsOwn}`,
    scope,
  );
  // Taken away by rows of their own: what was added up of removed clicks cannot be added up again.
  await connection.run(
    `INSERT INTO slots
     SELECT "workspaceId", "time" // ${slotMs} AS "slot", CASE WHEN "bot" = 0 THEN 0 ELSE 1 END AS "isBot", -sum("clicks")
     FROM (
       SELECT "workspaceId", "time", "bot", 1 AS "clicks" FROM shelved WHERE ${itsOwn}
       UNION ALL SELECT "workspaceId", "time", "bot", "clicks" FROM totals WHERE ${itsOwn}
     ) GROUP BY ALL`,
    scope,
  );
  for (const table of [...shelves, "totals"]) await connection.run(`DELETE FROM "${table}" WHERE ${itsOwn}`, scope);
  await connection.run(`DELETE FROM links WHERE "workspaceId" = $1 AND "linkId" = $2`, scope);
  // Urls that no other link of the workspace has.
  await connection.run(
    `DELETE FROM urls WHERE "workspaceId" = $1 AND "number" IN (FROM erased)
       AND "number" NOT IN (SELECT "url" FROM facts WHERE "workspaceId" = $1)`,
    [workspaceId],
  );
  await connection.run("DROP TABLE erased");
}
