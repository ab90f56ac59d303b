import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import type { Attempts } from "./attempts.ts";
import { dummyHash } from "./dummy-hash.ts";
import { findOpenInvite, inviteAttemptsMax, inviteClosed, mailedInviteRequired, takeInvite } from "./invites.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { requirePersonName } from "./person-name.ts";
import { membershipIn } from "./roles.ts";
import { refuseClosedSignUp } from "./sign-up.ts";
import { hashPassword, insertUser, normalizeEmail } from "./users.ts";
import { verifyEmail } from "./verify-email.ts";

/** The form of an invite page. For a mailed link, the address of the mail replaces `email`. */
export type JoinForm = {
  name: string;
  email: string;
  password: string;
  /** The IP address of the client. */
  address: string;
};

type Deps = {
  db: Db;
  now: () => number;
  config: Pick<Config, "WAYPOST_SIGN_UP" | "WAYPOST_SMTP_URL">;
  attempts: Pick<Attempts, "signIn" | "join">;
  signal?: AbortSignal;
};

/**
 * Makes the person with an invite's link a member, unless they are one, and returns the user's id: of the user with this
 * e-mail and password, or of a new one. A mailed link verifies the address; it also gives an existing account whose address is
 * unverified to the person, with this password.
 * Throws "not_found" for a link that is not open; "forbidden" for an invite that names an address and was not mailed,
 * and for a person without an account while WAYPOST_SIGN_UP is closed;
 * "unprocessable_entity" for an invalid field, such as a wrong password; "conflict" like acceptInvite, and for an account
 * that changes at the same time; "unavailable"
 * like hashPassword; "rate_limit_exceeded" after too many wrong passwords, which also count at sign-in, and beyond the
 * new users per address.
 */
export async function joinByInvite(deps: Deps, token: string, form: JoinForm): Promise<string> {
  const { email, password } = form;
  // Anyone can call this, so the token is checked before a password is hashed.
  const invite = await findOpenInvite(deps, token);
  if (invite === undefined) throw inviteClosed();
  const { provenEmail } = invite;
  if (provenEmail === null && invite.email !== null) throw mailedInviteRequired();
  const account = provenEmail ?? normalizeEmail(email);
  if (account === undefined) throw invalid("email", "must be an e-mail address such as you@example.com.");
  const user = await deps.db
    .selectFrom("users")
    .select(["id", "passwordHash", "verifiedAt"])
    .where("email", "=", account)
    .executeTakeFirst();
  const isProven = provenEmail !== null;
  if (user === undefined) return await joinAsNewUser(deps, token, { ...form, email: account, isProven });
  if (isProven && user.verifiedAt === null)
    return await takeOverAccount(deps, token, { userId: user.id, email: account, password });
  await requirePassword(deps, token, { account, address: form.address, password }, user.passwordHash);
  const { workspaceId } = invite;
  if ((await membershipIn(deps.db, { workspaceId, userId: user.id })) !== undefined) return user.id;
  await transact(deps.db, (tx) => takeInvite(tx, user.id, token, deps.now()));
  return user.id;
}

async function joinAsNewUser(
  { db, now, config, attempts, signal }: Deps,
  token: string,
  { name, email, password, address, isProven }: JoinForm & { isProven: boolean },
): Promise<string> {
  refuseClosedSignUp(config);
  const personName = requirePersonName(name);
  // Counted by address, because the caller chooses the e-mail address, and a full workspace leaves the invite open.
  // A password of the wrong length costs an attempt too: the answer reveals that the address has no account.
  const giveBack = attempts.join.take({ address, account: email });
  const passwordHash = await hashPassword(password, { account: networkOf(address), signal }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "unavailable") giveBack();
    throw error;
  });
  return await transact(db, async (tx) => {
    const at = now();
    const verified = isProven ? { verifiedAt: at } : {};
    const userId = await insertUser(tx, { email, name: personName, passwordHash, ...verified }, at);
    await takeInvite(tx, userId, token, at);
    return userId;
  });
}

/**
 * Takes over an account that another person may have created, with an open invite and an address that is not theirs.
 */
async function takeOverAccount(
  { db, now, signal }: Deps,
  token: string,
  { userId, email, password }: { userId: string; email: string; password: string },
): Promise<string> {
  const passwordHash = await hashPassword(password, { account: userId, signal });
  await transact(db, async (tx) => {
    // While the password was hashed, the other person may have given the account an address that nobody has proven.
    if (!(await verifyEmail(tx, { userId, email, passwordHash }, now()))) throw accountChanged();
    await takeInvite(tx, userId, token, now());
  });
  return userId;
}

function accountChanged(): Problem {
  return new Problem("conflict", "The account with this e-mail address has just changed; open the link again.");
}

/** Counts wrong passwords with those of signing in, since anyone can create invites to guess by. */
async function requirePassword(
  { db, attempts, signal }: Deps,
  token: string,
  { account, address, password }: { account: string; address: string; password: string },
  passwordHash: string | null,
): Promise<void> {
  const hashFor = { account: networkOf(address), signal };
  const isRight = () =>
    countAttemptOfInvite(
      db,
      token,
      async () => (await fitsPasswordHash(password, passwordHash ?? dummyHash, hashFor)) && passwordHash !== null,
    );
  if (await attempts.signIn.check({ address, account }, isRight)) return;
  throw invalid("password", "is wrong for this e-mail address; if you have an account, sign in first.");
}

/** Counts the attempt before the check, so that simultaneous guesses are no more than successive ones. */
async function countAttemptOfInvite(db: Db, token: string, isRight: () => Promise<boolean>): Promise<boolean> {
  const hash = sha256(token);
  const invite = db
    .updateTable("invites")
    .where((row) => row.or([row("hash", "=", hash), row("mailedHash", "=", hash)]));
  const { numUpdatedRows } = await invite
    .set((row) => ({ attempts: row("attempts", "+", 1) }))
    .where("attempts", "<", inviteAttemptsMax)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw inviteClosed();
  let isWrong = false;
  try {
    isWrong = !(await isRight());
    return !isWrong;
  } finally {
    if (!isWrong) await invite.set((row) => ({ attempts: row("attempts", "-", 1) })).execute();
  }
}
