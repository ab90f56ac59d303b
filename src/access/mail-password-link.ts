import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { accountMailTexts } from "../mail/account-mail-texts.ts";
import { linkMail } from "../mail/link-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { findMailable, insertSignInLink, normalizeEmail, resetLinkLifeMs } from "./users.ts";

type Deps = { db: Db; now: () => number; mailer: Mailer; appUrl: URL };

/**
 * Mails the user with this e-mail address a one-time link to set a new password; earlier links end. Does nothing for an
 * unknown address and a disabled user. `language` is that of the page. Using the link verifies the address.
 */
export async function mailPasswordLink(
  { db, now, mailer, appUrl }: Deps,
  { email, language }: { email: string; language: string },
): Promise<void> {
  const to = normalizeEmail(email);
  if (to === undefined) return;
  const token = await transact(db, async (tx) => {
    const user = await findMailable(tx, to);
    if (user === undefined) return undefined;
    await tx.deleteFrom("signInLinks").where("userId", "=", user.id).execute();
    return await insertSignInLink(tx, user.id, now(), { email: to, lifeMs: resetLinkLifeMs });
  });
  if (token === undefined) return;
  const url = new URL(`/app/setup/${token}`, appUrl).href;
  const texts = accountMailTexts(language);
  await mailer.send(linkMail(texts, { to, url }, texts.password(resetLinkLifeMs / minuteMs)));
}
