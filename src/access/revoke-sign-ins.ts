import type { Tx } from "../database/outbox.ts";
import { endSessionsOf } from "./sessions.ts";

/** Ends what a new password ends: all sessions except one, and one-time links that could set another password. */
export async function revokeSignIns(tx: Tx, userId: string, exceptSessionId?: string): Promise<void> {
  await endSessionsOf(tx, userId, exceptSessionId);
  await revokeSignInLinks(tx, userId);
}

/** Closes the user's one-time links, such as one mailed to a former address. */
export async function revokeSignInLinks(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("signInLinks").where("userId", "=", userId).execute();
  await tx.deleteFrom("magicLinks").where("userId", "=", userId).execute();
}
