import { Problem } from "../base/problem.ts";
import type { Tx } from "../database/outbox.ts";

/** The problem of a user whom the operator has disabled. */
export function accountDisabled(): Problem {
  return new Problem("forbidden", "The operator of this service has disabled this account.");
}

/**
 * Locks the user until the transaction ends, so that nobody disables or deletes them before.
 * Throws "forbidden" for a user who is disabled or deleted.
 */
export async function lockEnabledUser(tx: Tx, userId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set((row) => ({ createdAt: row.ref("createdAt") }))
    .where("id", "=", userId)
    .where("disabledAt", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw accountDisabled();
}
