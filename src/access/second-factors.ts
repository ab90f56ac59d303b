import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { needsOneTimeCode } from "./needs-one-time-code.ts";

/**
 * Those of these users who have a second factor besides their password: one-time codes, a passkey, also one of another
 * host, or an identity whose provider has checked one at the last sign-in. At most as many users as a workspace has
 * members.
 */
export async function usersWithSecondFactor(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const withCodes = db
    .selectFrom("oneTimeCodes")
    .select("userId")
    .where("userId", "in", userIds)
    .where("confirmedAt", "is not", null);
  const withPasskey = db.selectFrom("passkeys").select("userId").where("userId", "in", userIds);
  const withProvider = db
    .selectFrom("identities")
    .select("userId")
    .where("userId", "in", userIds)
    .where("hasSecondFactor", "=", 1);
  const rows = await withCodes.union(withPasskey).union(withProvider).execute();
  return new Set(rows.map(({ userId }) => userId));
}

/** True when the user has a second factor, so that their API keys are as safe as a session with one. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  return (await usersWithSecondFactor(db, [userId])).has(userId);
}

/**
 * True for a user who can use a second factor of this service when signing in: one-time codes, or a passkey of this host;
 * without a host, passkeys do not work.
 */
export async function canUseSecondFactor(db: Db, userId: string, host: string | undefined): Promise<boolean> {
  return (await needsOneTimeCode({ db }, userId)) || (host !== undefined && (await hasPasskey(db, userId, host)));
}

async function hasPasskey(db: Db, userId: string, host?: string): Promise<boolean> {
  let query = db.selectFrom("passkeys").select("id").where("userId", "=", userId);
  if (host !== undefined) query = query.where("host", "=", host);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Takes the second factor from the user's sessions when the user has neither one-time codes nor a passkey left. A
 * provider's second factor does not keep it, since other sessions may have used what was removed.
 */
export async function endUnusedSecondFactor(tx: Tx, userId: string): Promise<void> {
  if ((await needsOneTimeCode({ db: tx }, userId)) || (await hasPasskey(tx, userId))) return;
  await tx.updateTable("sessions").set({ hasSecondFactor: 0 }).where("userId", "=", userId).execute();
}
