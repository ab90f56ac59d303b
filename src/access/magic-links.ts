/**
 * Magic links: one-time links by mail that sign a person in.
 *
 * 1. A link proves that the person reads the mailbox, as a password proves that they know it. People with one-time codes
 *    must also enter one.
 * 2. Only hashes are stored. A new link ends the user's earlier ones. A new password, another address and disabling the
 *    account end all links, as they end links to set a password.
 * 3. Opening a link uses nothing up, since programs that check mails open it. A POST from its page does.
 * 4. A link knows the browser that requested it. In another browser, the page asks whether the person requested it.
 * 5. When a sign-in with an identity provider still needs a code, it continues as such a link, which is not mailed and
 *    works only in the same browser.
 * 6. The first sign-in with a mailed link verifies the address, which takes the account over: see verify-email.ts.
 */
import { randomBase62, sha256 } from "../base/ids.ts";
import { Problem } from "../base/problem.ts";
import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { SignInMethod } from "../database/sign-in-tables.ts";
import { transact } from "../database/transact.ts";
import { accountMailTexts } from "../mail/account-mail-texts.ts";
import { linkMail } from "../mail/link-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { accountBlocked, currentBlocks } from "./blocks.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { needsOneTimeCode } from "./needs-one-time-code.ts";
import { findMailable, normalizeEmail } from "./users.ts";
import { verifyEmail } from "./verify-email.ts";

/** How long a link works. */
export const magicLinkLifeMs = 15 * minuteMs;
const tokenLength = 40;

type Deps = { db: Db; now: () => number };

/** A new token for the cookie by which a link knows the browser that requested it. */
export function newBrowserToken(): string {
  return randomBase62(tokenLength);
}

/** The address to mail a link to, the language of the page, the token of the browser, and the page to open after signing in. */
type LinkRequest = { email: string; language: string; browser: string; next: string | undefined };

/**
 * Mails the user with this e-mail address a link that signs in; earlier links end. Does nothing for an unknown address
 * and a disabled user.
 */
export async function mailMagicLink(
  { db, now, mailer, appUrl }: Deps & { mailer: Mailer; appUrl: URL },
  { email, language, browser, next }: LinkRequest,
): Promise<void> {
  const to = normalizeEmail(email);
  if (to === undefined) return;
  const token = randomBase62(tokenLength);
  const isCreated = await transact(db, async (tx) => {
    const user = await findMailable(tx, to);
    if (user === undefined) return false;
    // Simultaneous requests wait here, so that each ends the link of the one before.
    await lockEnabledUser(tx, user.id);
    await tx.deleteFrom("magicLinks").where("userId", "=", user.id).execute();
    const expiresAt = now() + magicLinkLifeMs;
    await tx
      .insertInto("magicLinks")
      .values({ hash: sha256(token), userId: user.id, email: to, browserHash: sha256(browser), expiresAt })
      .execute();
    return true;
  });
  if (!isCreated) return;
  const url = new URL(`/app/link/${token}`, appUrl);
  if (next !== undefined) url.searchParams.set("next", next);
  const texts = accountMailTexts(language);
  await mailer.send(linkMail(texts, { to, url: url.href }, texts.magicLink(magicLinkLifeMs / minuteMs)));
}

/**
 * Creates a link for a user whom the identity provider has signed in and who must still enter a code, and returns its
 * token. The link works only in the browser with this token. Throws "forbidden" for a disabled user.
 */
export async function insertProviderLink(
  { db, now }: Deps,
  { userId, browser }: { userId: string; browser: string },
): Promise<string> {
  const token = randomBase62(tokenLength);
  await transact(db, async (tx) => {
    await lockEnabledUser(tx, userId);
    const { email } = await tx.selectFrom("users").select("email").where("id", "=", userId).executeTakeFirstOrThrow();
    await tx.deleteFrom("magicLinks").where("userId", "=", userId).execute();
    const expiresAt = now() + magicLinkLifeMs;
    const hashes = { hash: sha256(token), browserHash: sha256(browser) };
    await tx
      .insertInto("magicLinks")
      .values({ ...hashes, userId, email: email ?? "", expiresAt, method: "provider" })
      .execute();
  });
  return token;
}

/** A link that still works. */
type MagicLink = {
  userId: string;
  email: string;
  /** True in the browser that has requested the link. */
  isSameBrowser: boolean;
  /** True when signing in verifies the address, which takes the account over. */
  verifiesAddress: boolean;
  needsCode: boolean;
  method: SignInMethod;
};

/**
 * The link with this token, as seen from the browser with that token; undefined when it is used or expired, or belongs to
 * another browser.
 */
export async function findMagicLink(
  { db, now }: Deps,
  token: string,
  browser: string | undefined,
): Promise<MagicLink | undefined> {
  const link = await db
    .selectFrom("magicLinks")
    .innerJoin("users", "users.id", "magicLinks.userId")
    .select(["magicLinks.userId", "magicLinks.email", "magicLinks.browserHash", "magicLinks.method"])
    .select("users.verifiedAt")
    .where("magicLinks.hash", "=", sha256(token))
    .where("magicLinks.expiresAt", ">", now())
    .executeTakeFirst();
  if (link === undefined) return undefined;
  const { userId, email, browserHash, method, verifiedAt } = link;
  const isSameBrowser = browserHash === sha256(browser ?? "");
  if (method === "provider" && !isSameBrowser) return undefined;
  // A provider proves who the person is, not that they read the mailbox: its links verify nothing and need the code.
  const verifiesAddress = verifiedAt === null && method !== "provider";
  // The first verification ends codes that the account got before.
  const needsCode = !verifiesAddress && (await needsOneTimeCode({ db }, userId));
  return { userId, email, verifiesAddress, needsCode, isSameBrowser, method };
}

/**
 * Uses a link up, verifies its address if it was mailed, and returns the id of its user. The caller opens the session.
 * Guarantee: of simultaneous uses of one link, one succeeds.
 * Throws "not_found" for a link that is used, expired or mailed to a former address; "forbidden" for a blocked user.
 */
export async function useMagicLink({ db, now }: Deps, token: string): Promise<string> {
  const blocks = await currentBlocks(db);
  return await transact(db, async (tx) => {
    const link = await tx
      .deleteFrom("magicLinks")
      .where("hash", "=", sha256(token))
      .where("expiresAt", ">", now())
      .returning(["userId", "email", "method"])
      .executeTakeFirst();
    if (link === undefined) throw magicLinkClosed();
    const { userId, email, method } = link;
    const user = await tx.selectFrom("users").select("email").where("id", "=", userId).executeTakeFirst();
    // A provider's link was mailed nowhere, and its user may have no address.
    if (user === undefined || (method !== "provider" && user.email !== email)) throw magicLinkClosed();
    if (blocks.hasUser(userId)) throw accountBlocked();
    if (method !== "provider") await verifyEmail(tx, { userId, email, passwordHash: null }, now());
    return userId;
  });
}

function magicLinkClosed(): Problem {
  return new Problem("not_found", "This link has been used or has expired.");
}

/** Deletes expired links, and returns how many; for the cleanup task. */
export async function forgetExpiredMagicLinks({ db, now }: Deps): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("magicLinks")
    .where("expiresAt", "<=", now())
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
