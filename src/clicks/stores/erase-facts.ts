import type { DuckDBConnection } from "@duckdb/node-api";
import { ownedParts, parts, shelves } from "./facts.ts";
import { addSlots } from "./shelves.ts";
import { inTransaction } from "./transaction.ts";

/** Removes the facts of a workspace, or of one of its links, with their texts and what was added up of them. */
export async function erase(
  connection: DuckDBConnection,
  { workspaceId, linkId }: { workspaceId: number; linkId?: string },
): Promise<void> {
  await inTransaction(connection, async () => {
    if (linkId === undefined) await eraseWorkspace(connection, workspaceId);
    else await eraseLink(connection, workspaceId, linkId);
  });
}

async function eraseWorkspace(connection: DuckDBConnection, workspaceId: number): Promise<void> {
  const owned = ownedParts.map((name) => parts[name].table);
  for (const table of [...shelves, "slots", ...owned]) {
    await connection.run(`DELETE FROM "${table}" WHERE "workspaceId" = $1`, [workspaceId]);
  }
}

async function eraseLink(connection: DuckDBConnection, workspaceId: number, linkId: string): Promise<void> {
  const numbers = `"workspaceId" = $1 AND "link" IN (SELECT "number" FROM links WHERE "workspaceId" = $1 AND "linkId" = $2)`;
  const scope = [workspaceId, linkId];
  await connection.run(`CREATE OR REPLACE TEMP TABLE erased AS SELECT * FROM shelved WHERE ${numbers}`, scope);
  await addSlots(connection, "erased", -1);
  for (const shelf of shelves) await connection.run(`DELETE FROM "${shelf}" WHERE ${numbers}`, scope);
  await connection.run(`DELETE FROM links WHERE "workspaceId" = $1 AND "linkId" = $2`, scope);
  // Urls that were its own alone.
  await connection.run(
    `DELETE FROM urls WHERE "workspaceId" = $1 AND "number" IN (SELECT "url" FROM erased)
       AND "number" NOT IN (SELECT "url" FROM facts WHERE "workspaceId" = $1)`,
    [workspaceId],
  );
  await connection.run("DROP TABLE erased");
}
