import type { Tx } from "../database/outbox.ts";

/**
 * Locks the user until the transaction ends: other calls that lock the same user wait, such as those that create a
 * workspace or a key of the user.
 */
export async function lockUser(tx: Tx, userId: string): Promise<void> {
  // Writing the current value locks the row on PostgreSQL and the file on SQLite; see lockWorkspace.
  await tx
    .updateTable("users")
    .set((row) => ({ createdAt: row.ref("createdAt") }))
    .where("id", "=", userId)
    .execute();
}
