import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import type { Mailer } from "../mail/mailer.ts";
import { passwordMail } from "../mail/password-mail.ts";
import { findMailable, insertSignInLink, normalizeEmail, resetLinkLifeMs } from "./users.ts";

type Deps = { db: Db; now: () => number; mailer: Mailer; appUrl: URL };

/**
 * Mails the user with this e-mail address a one-time link to set a new password; earlier links end. Does nothing for an
 * unknown address and a disabled user. Using the link verifies the address.
 */
export async function mailPasswordLink({ db, now, mailer, appUrl }: Deps, email: string): Promise<void> {
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
  await mailer.send(passwordMail({ to, url, lifeMinutes: resetLinkLifeMs / minuteMs }));
}
