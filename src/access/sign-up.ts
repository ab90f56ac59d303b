import { networkOf } from "../base/network.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Seal } from "../base/seal.ts";
import { hourMs } from "../base/time.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { accountMailTexts } from "../mail/account-mail-texts.ts";
import { linkMail } from "../mail/link-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { AttemptLimits } from "./attempts.ts";
import { requirePersonName } from "./person-name.ts";
import { hashPassword, insertUser, normalizeEmail } from "./users.ts";

/**
 * Signing up: who may create an account.
 *
 * 1. closed: only the operator, with the command line. Accounts accept invites.
 * 2. invite: also the holder of an open invite; see join-by-invite.ts.
 * 3. open: also anyone who opens a link that was mailed to their address. The account does not exist before, so an
 *    unverified one can use nothing. Without a mail server no address can be verified, so open means invite.
 * 4. The link holds the address and its end, sealed with the instance's secret: requests that nobody completes leave no
 *    rows. It creates one account, since addresses are unique.
 */
export type SignUpMode = Config["WAYPOST_SIGN_UP"];

/** Hours that a link to complete signing up works. */
const signUpLinkHours = 24;
const sealIdentity = "sign-up";

type Options = Pick<Config, "WAYPOST_SIGN_UP" | "WAYPOST_SMTP_URL">;

/** Who may create an account at present: the option, except that "open" needs a mail server. */
export function signUpMode({ WAYPOST_SIGN_UP: mode, WAYPOST_SMTP_URL: server }: Options): SignUpMode {
  return mode === "open" && server === undefined ? "invite" : mode;
}

/** The text of the problem of a person without an account while only the operator creates accounts. */
export const signUpClosedText =
  "Only the operator of this service creates accounts. If you have one, use its e-mail address and password.";

/** Throws "forbidden" while only the operator creates accounts. */
export function refuseClosedSignUp(config: Options): void {
  if (signUpMode(config) === "closed") throw new Problem("forbidden", signUpClosedText);
}

type MailDeps = { db: Db; now: () => number; seal: Seal; mailer: Mailer; appUrl: URL };

/**
 * Mails a link to complete signing up to an address, or, to an address that has an account, that it has one. The caller
 * answers before: neither the response nor its time reveals which. `language` is that of the page.
 */
export async function mailSignUpLink(
  { db, now, seal, mailer, appUrl }: MailDeps,
  { email, language }: { email: string; language: string },
): Promise<void> {
  const texts = accountMailTexts(language);
  const user = await db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst();
  if (user !== undefined) {
    const url = new URL("/app/sign-in", appUrl).href;
    await mailer.send(linkMail(texts, { to: email, url }, texts.existingAccount));
    return;
  }
  const token = seal.seal(JSON.stringify([email, now() + signUpLinkHours * hourMs]), sealIdentity);
  const url = new URL(`/app/sign-up/${token}`, appUrl).href;
  await mailer.send(linkMail(texts, { to: email, url }, texts.signUp(signUpLinkHours)));
}

/** The address of a link to complete signing up; undefined for a forged, damaged or expired one. */
export function readSignUpToken({ now, seal }: Pick<MailDeps, "now" | "seal">, token: string): string | undefined {
  const text = seal.open(token, sealIdentity);
  if (text === undefined) return undefined;
  const [email, expiresAt]: unknown[] = JSON.parse(text);
  return typeof email === "string" && typeof expiresAt === "number" && expiresAt > now() ? email : undefined;
}

/** The form behind a link to complete signing up, and the client's address. */
type SignUpForm = { name: string; password: string; address: string };
type SignUpDeps = Pick<MailDeps, "db" | "now" | "seal"> & { limits: AttemptLimits; signal?: AbortSignal };

/**
 * Creates the account of a link, with a verified address and no workspace, and returns the user's id.
 * Throws "not_found" for an invalid link, "unprocessable_entity" for an invalid field, "conflict" for an address that
 * has an account by now, "rate_limit_exceeded" beyond the new users per address, "unavailable" like hashPassword.
 */
export async function signUp(
  { db, now, seal, limits, signal }: SignUpDeps,
  token: string,
  { name, password, address }: SignUpForm,
): Promise<string> {
  const email = readSignUpToken({ now, seal }, token);
  if (email === undefined) throw new Problem("not_found", "This link is invalid or has expired.");
  const personName = requirePersonName(name);
  const giveBack = limits.take({ address, account: email });
  const passwordHash = await hashPassword(password, { account: networkOf(address), signal }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "unavailable") giveBack();
    throw error;
  });
  return await transact(db, (tx) =>
    insertUser(tx, { email, name: personName, passwordHash, verifiedAt: now() }, now()),
  );
}

/** The stored form of an address that a person typed. Throws "unprocessable_entity" for an invalid one. */
export function requireEmailAddress(text: string): string {
  const email = normalizeEmail(text);
  if (email === undefined) throw invalid("email", "must be an e-mail address such as you@example.com.");
  return email;
}
