import { Problem } from "../base/problem.ts";
import type { Tx } from "../database/outbox.ts";
import type { Actor } from "./actor.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { requireSession } from "./sessions.ts";

/**
 * Locks the caller's user, and their session or API key, until the transaction ends. Calls that give lasting access use it,
 * such as a new key: otherwise a call that was admitted just before would outlast the access with which it was made.
 * Throws "unauthorized" for a session or key that has ended, "forbidden" for a disabled user.
 */
export async function requireCaller(
  tx: Tx,
  { userId, sessionId, apiKeyId }: Pick<Actor, "userId" | "sessionId" | "apiKeyId">,
): Promise<void> {
  await lockEnabledUser(tx, userId);
  if (sessionId !== undefined) await requireSession(tx, userId, sessionId);
  // The command line acts for a user without either.
  if (apiKeyId !== undefined) await requireApiKey(tx, apiKeyId);
}

async function requireApiKey(tx: Tx, id: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("apiKeys")
    .set((row) => ({ createdAt: row.ref("createdAt") }))
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Problem("unauthorized", "This API key has just been revoked.");
}
