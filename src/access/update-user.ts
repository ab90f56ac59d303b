import type { Kysely } from "kysely";
import { invalid, notFound } from "../base/problem.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import type { AttemptLimits } from "./attempts.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { asEmailConflict, endWaysIn, hashPassword, normaliseEmail, type User } from "./users.ts";

/** A user as they see themselves. */
export type OwnUser = User & { hasPassword: boolean };

/** What a user changes about themselves; what is undefined stays. */
export type UserChange = {
  name?: string | undefined;
  email?: string | undefined;
  /** Sets a new one. */
  password?: { current: string; new: string } | undefined;
  /** Proves who it is where the e-mail changes and the password does not. */
  currentPassword?: string | undefined;
};

type Deps = { db: Kysely<Schema>; limits: AttemptLimits };

/** The user as they see themselves. Throws "not_found" for one who is no more. */
export async function getUser({ db }: Pick<Deps, "db">, userId: string): Promise<OwnUser> {
  const { passwordHash, ...user } = await findRow(db, userId);
  return { ...user, hasPassword: passwordHash !== null };
}

/**
 * Changes the user whose session this is, and returns them. Another e-mail or password asks for the present password; a
 * new password ends the user's other sessions and open links.
 * Throws "unprocessable_entity" for a value that is not right, a wrong password among them; "conflict" for an e-mail in
 * use; "rate_limit_exceeded" after too many wrong passwords, which count with those of signing in.
 */
export async function updateUser(
  deps: Deps,
  { userId, sessionId }: { userId: string; sessionId: string },
  change: UserChange,
): Promise<OwnUser> {
  const before = await findRow(deps.db, userId);
  const email = change.email === undefined ? before.email : normaliseEmail(change.email);
  if (email === undefined) throw invalid("email", "must be one such as you@example.com.");
  const { name = before.name, password } = change;
  if (password !== undefined) await requirePassword(deps, before, "password.current", password.current);
  else if (email !== before.email) await requirePassword(deps, before, "currentPassword", change.currentPassword);
  const passwordHash = password === undefined ? before.passwordHash : await hashPassword(password.new);

  try {
    await transact(deps.db, async (tx) => {
      await tx.updateTable("users").set({ name, email, passwordHash }).where("id", "=", userId).execute();
      if (password !== undefined) await endWaysIn(tx, userId, sessionId);
    });
  } catch (error) {
    throw asEmailConflict(error, email);
  }
  return await getUser(deps, userId);
}

type Row = User & { passwordHash: string | null };

async function findRow(db: Kysely<Schema>, userId: string): Promise<Row> {
  const row = await db
    .selectFrom("users")
    .select(["id", "email", "name", "createdAt", "passwordHash"])
    .where("id", "=", userId)
    .executeTakeFirst();
  if (row === undefined) throw notFound("user");
  return row;
}

/** Who has come by somebody's session cannot lock them out: that takes the password, and guesses are limited. */
async function requirePassword(
  { limits }: Deps,
  { id, email, passwordHash }: Row,
  field: string,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw invalid(field, "must be your present password, where the e-mail is to change.");
  const attempt = limits.take({ address: undefined, account: email ?? id });
  if (passwordHash === null || !(await fitsPasswordHash(password, passwordHash))) {
    throw invalid(field, "this is not your present password.");
  }
  attempt.giveBack();
}
