import type { Db } from "../database/database.ts";

/** True when this user's sign-in needs a code besides the password. */
export async function needsOneTimeCode({ db }: { db: Db }, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom("oneTimeCodes")
    .select("userId")
    .where("userId", "=", userId)
    .where("confirmedAt", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}
