import type { Db } from "../database/database.ts";

/**
 * Those of these users who have a second factor besides their password: one-time codes, or an identity whose provider
 * has checked one at the last sign-in. At most as many users as a workspace has members.
 */
export async function usersWithSecondFactor(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const withCodes = db
    .selectFrom("oneTimeCodes")
    .select("userId")
    .where("userId", "in", userIds)
    .where("confirmedAt", "is not", null);
  const withProvider = db
    .selectFrom("identities")
    .select("userId")
    .where("userId", "in", userIds)
    .where("hasSecondFactor", "=", 1);
  return new Set((await withCodes.union(withProvider).execute()).map(({ userId }) => userId));
}

/** True when the user has a second factor, so that their API keys are as safe as a session with one. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  return (await usersWithSecondFactor(db, [userId])).has(userId);
}
