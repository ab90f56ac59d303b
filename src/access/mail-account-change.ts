import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { type AccountChange, accountMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Attempts } from "./attempts.ts";

type Deps = { mailer: Mailer; attempts: Pick<Attempts, "accountMail">; config: Pick<Config, "WAYPOST_URL"> };

/** The person before the change. */
type Person = { id: string; email: string | null; verifiedAt: number | null };

/**
 * Mails a person, in the background, that their account was changed: only at a verified address, since any other may
 * belong to a stranger, and at most as often as the limits of attempts allow.
 */
export function mailAccountChange(
  { mailer, attempts, config }: Deps,
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
  void mailer.send(accountMail({ to: email, url: securityUrl(config), change }));
}

/** The page of the dashboard on which people change how they sign in. */
export function securityUrl({ WAYPOST_URL }: Pick<Config, "WAYPOST_URL">): string {
  return new URL("/app/account/security", WAYPOST_URL).href;
}
