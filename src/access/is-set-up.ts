import type { Db } from "../database/database.ts";

/**
 * True once a person has a way to sign in: a password, a passkey or an identity. Before that, only the set-up link of the
 * first start leads into the dashboard.
 */
export async function isSetUp(db: Db): Promise<boolean> {
  const found = await Promise.all([
    db.selectFrom("users").select("id").where("passwordHash", "is not", null).limit(1).executeTakeFirst(),
    db.selectFrom("identities").select("userId").limit(1).executeTakeFirst(),
    db.selectFrom("passkeys").select("userId").limit(1).executeTakeFirst(),
  ]);
  return found.some((row) => row !== undefined);
}
