import type { Tx } from "../database/outbox.ts";

/**
 * Locks the workspace until the transaction ends: changes of its members, of its domains, and its deletion wait. What
 * the transaction reads afterwards stays as it is.
 */
export async function lockWorkspace(tx: Tx, workspaceId: number): Promise<void> {
  // SQLite has no "for update": writing the current value locks the row on PostgreSQL and the file on SQLite.
  await tx
    .updateTable("workspaces")
    .set((row) => ({ createdAt: row.ref("createdAt") }))
    .where("id", "=", workspaceId)
    .execute();
}
