import type { Db } from "../database/database.ts";
import { type AccountMailTexts, accountMailTexts } from "../mail/account-mail-texts.ts";

/**
 * The texts of mails in the language in which the user last signed in; in English before the first sign-in, and while
 * the database cannot answer, since a mail about an account matters more than its language.
 */
export async function mailTextsOf(db: Db, userId: string): Promise<AccountMailTexts> {
  const user = await db
    .selectFrom("users")
    .select("language")
    .where("id", "=", userId)
    .executeTakeFirst()
    .catch(() => undefined);
  return accountMailTexts(user?.language);
}
