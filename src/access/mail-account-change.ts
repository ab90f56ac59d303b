import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { type AccountChange, accountMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Attempts } from "./attempts.ts";
import { mailTextsOf } from "./mail-texts-of.ts";

type Deps = { db: Db; mailer: Mailer; attempts: Pick<Attempts, "accountMail">; config: Pick<Config, "WAYPOST_URL"> };

/** The person before the change. */
type Person = { id: string; email: string | null; verifiedAt: number | null };

/**
 * Mails a person, in the background, that their account was changed: only at a verified address, since any other may
 * belong to a stranger, and at most as often as the limits of attempts allow.
 */
export function mailAccountChange(
  { db, mailer, attempts, config }: Deps,
  { id, email, verifiedAt }: Person,
  change: AccountChange,
): void {
  if (email === null || verifiedAt === null || !mailer.hasServer) return;
  try {
    attempts.accountMail.take({ address: undefined, account: id });
  } catch (error) {
    // The person has already received as many mails as the limits allow.
    if (error instanceof Problem) return;
    throw error;
  }
  void sendAccountMail({ db, mailer, config }, { id, to: email }, change);
}

/** Mails a change to an address of the user, in the language in which they last signed in. */
export async function sendAccountMail(
  { db, mailer, config }: Omit<Deps, "attempts">,
  { id, to }: { id: string; to: string },
  change: AccountChange,
): Promise<void> {
  await mailer.send(accountMail(await mailTextsOf(db, id), { to, url: securityUrl(config), change }));
}

/** The page of the dashboard on which people change how they sign in. */
export function securityUrl({ WAYPOST_URL }: Pick<Config, "WAYPOST_URL">): string {
  return new URL("/app/account/security", WAYPOST_URL).href;
}
