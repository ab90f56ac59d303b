import type { Tx } from "../database/outbox.ts";
import { endSessionsOf } from "./sessions.ts";

/** What a new password ends: sessions, but for one, and one-time links by which another one could be set. */
export async function endWaysIn(tx: Tx, userId: string, exceptSessionId?: string): Promise<void> {
  await endSessionsOf(tx, userId, exceptSessionId);
  await endLinks(tx, userId);
}

/** Closes the user's one-time links: one that was mailed to an address that is theirs no more among them. */
export async function endLinks(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("signInLinks").where("userId", "=", userId).execute();
}
