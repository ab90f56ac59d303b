import type { Kysely } from "kysely";
import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { invalid } from "../base/problem.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import type { Attempts } from "./attempts.ts";
import { findOpenInvite, inviteAttemptsMax, inviteClosed, mailedInviteRequired, takeInvite } from "./invites.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { requirePersonName } from "./person-name.ts";
import { dummyHash } from "./sign-in.ts";
import { hashPassword, insertUser, normaliseEmail } from "./users.ts";
import { verifyEmail } from "./verify-email.ts";

/** What a person fills in. Where the link was mailed, that address counts. */
export type JoinForm = {
  name: string;
  email: string;
  password: string;
  /** From which the form is sent. */
  address: string;
};

type Deps = {
  db: Kysely<Schema>;
  now: () => number;
  attempts: Pick<Attempts, "signIn" | "join">;
  signal?: AbortSignal;
};

/**
 * Makes the person with an invite's link a member, and returns the user's id: as the user with this e-mail and password,
 * or as a new one where the e-mail has no account. By a link that was mailed, the user's address is verified from now on;
 * an account with that address which was not verified becomes the person's, with this password.
 * Throws "not_found" for a link that is not open; "forbidden" for one that names an address and was not mailed;
 * "unprocessable_entity" for a field that is not right, a wrong password among them; "conflict" as acceptInvite;
 * "unavailable" as hashPassword; "rate_limit_exceeded" after too many wrong passwords, which count with those of
 * signing in, and beyond the new users that one address may try to become.
 */
export async function joinByInvite(deps: Deps, token: string, form: JoinForm): Promise<string> {
  const { email, password } = form;
  // Anybody can call this, so no password is hashed before the token is known to be one.
  const invite = await findOpenInvite(deps, token);
  if (invite === undefined) throw inviteClosed();
  const { provenEmail } = invite;
  if (provenEmail === null && invite.email !== null) throw mailedInviteRequired();
  const account = provenEmail ?? normaliseEmail(email);
  if (account === undefined) throw invalid("email", "must be one such as you@example.com.");
  const user = await deps.db
    .selectFrom("users")
    .select(["id", "passwordHash", "verifiedAt"])
    .where("email", "=", account)
    .executeTakeFirst();
  const isProven = provenEmail !== null;
  if (user === undefined) return await joinAsNewUser(deps, token, { ...form, email: account, isProven });
  if (isProven && user.verifiedAt === null) return await takeOverAccount(deps, token, { userId: user.id, password });
  await requirePassword(deps, token, { account, address: form.address, password }, user.passwordHash);
  await transact(deps.db, (tx) => takeInvite(tx, user.id, token, deps.now()));
  return user.id;
}

async function joinAsNewUser(
  { db, now, attempts, signal }: Deps,
  token: string,
  { name, email, password, address, isProven }: JoinForm & { isProven: boolean },
): Promise<string> {
  const personName = requirePersonName(name);
  // Counted by address: the caller chooses the e-mail address, and a full workspace leaves the invite open.
  attempts.join.take({ address, account: email });
  const passwordHash = await hashPassword(password, { account: networkOf(address), signal });
  return await transact(db, async (tx) => {
    const at = now();
    const verified = isProven ? { verifiedAt: at } : {};
    const userId = await insertUser(tx, { email, name: personName, passwordHash, ...verified }, at);
    await takeInvite(tx, userId, token, at);
    return userId;
  });
}

/** Another person may have made the account, with an open invite and an address that is not theirs. */
async function takeOverAccount(
  { db, now, signal }: Deps,
  token: string,
  { userId, password }: { userId: string; password: string },
): Promise<string> {
  const passwordHash = await hashPassword(password, { account: userId, signal });
  await transact(db, async (tx) => {
    await verifyEmail(tx, { userId, passwordHash }, now());
    await takeInvite(tx, userId, token, now());
  });
  return userId;
}

/** Wrong passwords count with those of signing in, since anybody can make invites to guess by. */
async function requirePassword(
  { db, attempts, signal }: Deps,
  token: string,
  { account, address, password }: { account: string; address: string; password: string },
  passwordHash: string | null,
): Promise<void> {
  const whom = { account: networkOf(address), signal };
  const isRight = () =>
    countAttemptOfInvite(
      db,
      token,
      async () => (await fitsPasswordHash(password, passwordHash ?? dummyHash, whom)) && passwordHash !== null,
    );
  if (await attempts.signIn.check({ address, account }, isRight)) return;
  throw invalid("password", "does not go with this e-mail address; if you have an account, sign in first.");
}

/** Counts the check of a password before it is made, so that many at once are no more than one after another. */
async function countAttemptOfInvite(
  db: Kysely<Schema>,
  token: string,
  isRight: () => Promise<boolean>,
): Promise<boolean> {
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
