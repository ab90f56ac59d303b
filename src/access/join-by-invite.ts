import type { Kysely } from "kysely";
import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import type { Attempts } from "./attempts.ts";
import { closedInvite, findOpenInvite, takeInvite } from "./invites.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { requirePersonName } from "./person-name.ts";
import { hashPassword, insertUser, normaliseEmail } from "./users.ts";

/** Passwords of existing users that may be tried by one link; after them it is closed to them. */
export const inviteAttemptsMax = 10;

/** What a person fills in. Where the invite names an address, that one counts. */
export type Joining = { name: string; email: string; password: string /** From which it is asked. */; address: string };

type Deps = { db: Kysely<Schema>; now: () => number; attempts: Pick<Attempts, "signIn">; signal?: AbortSignal };

/**
 * Makes whoever has an invite's link a member, and returns the user's id: as the user with this e-mail and password, or
 * as a new one where nobody has the e-mail.
 * Throws "not_found" for a link that is not open; "unprocessable_entity" for a field that is not right, a wrong password
 * among them; "conflict" as acceptInvite, and for a user who has no password yet; "unavailable" as hashPassword;
 * "rate_limit_exceeded" after too many wrong passwords, which count with those of signing in.
 */
export async function joinByInvite(deps: Deps, token: string, joining: Joining): Promise<string> {
  const { name, email, password } = joining;
  // Anybody can call this, so the dear part waits until the token is known to be one.
  const invite = await findOpenInvite(deps, token);
  if (invite === undefined) throw closedInvite();
  const account = invite.email ?? normaliseEmail(email);
  if (account === undefined) throw invalid("email", "must be one such as you@example.com.");
  const user = await deps.db
    .selectFrom("users")
    .select(["id", "passwordHash"])
    .where("email", "=", account)
    .executeTakeFirst();
  if (user === undefined) return await joinAsNewUser(deps, token, { name, email: account, password });
  await requirePassword(deps, token, { account, address: joining.address, password }, user.passwordHash);
  await transact(deps.db, (tx) => takeInvite(tx, user.id, token, deps.now()));
  return user.id;
}

async function joinAsNewUser(
  { db, now, signal }: Deps,
  token: string,
  { name, email, password }: Omit<Joining, "address">,
): Promise<string> {
  const called = requirePersonName(name);
  const passwordHash = await hashPassword(password, { account: email, signal });
  return await transact(db, async (tx) => {
    const userId = await insertUser(tx, { email, name: called, passwordHash }, now());
    await takeInvite(tx, userId, token, now());
    return userId;
  });
}

/** Wrong passwords count with those of signing in, since anybody can make invites to guess by. */
async function requirePassword(
  { db, attempts, signal }: Deps,
  token: string,
  { account, address, password }: { account: string; address: string; password: string },
  passwordHash: string | null,
): Promise<void> {
  if (passwordHash === null) {
    throw new Problem(
      "conflict",
      "email: the account with this address has no password yet, by which you could say that it is yours.",
      {
        hint: "Accept the invite with an API key of the account, or set a password on the server: waypost user password --email you@example.com",
      },
    );
  }
  const whom = { account: networkOf(address), signal };
  const isRight = () => countedByInvite(db, token, () => fitsPasswordHash(password, passwordHash, whom));
  if (await attempts.signIn.check({ address, account }, isRight)) return;
  throw invalid("password", "an account with this e-mail address is there already, and this is not its password.");
}

/** Counts the check of a password before it is made, so that many at once are no more than one after another. */
async function countedByInvite(db: Kysely<Schema>, token: string, isRight: () => Promise<boolean>): Promise<boolean> {
  const invite = db.updateTable("invites").where("hash", "=", sha256(token));
  const { numUpdatedRows } = await invite
    .set((row) => ({ attempts: row("attempts", "+", 1) }))
    .where("attempts", "<", inviteAttemptsMax)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw closedInvite();
  let isWrong = false;
  try {
    isWrong = !(await isRight());
    return !isWrong;
  } finally {
    if (!isWrong) await invite.set((row) => ({ attempts: row("attempts", "-", 1) })).execute();
  }
}
