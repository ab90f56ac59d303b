import type { NoFieldsLeft } from "../base/no-fields-left.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import type { AttemptLimits } from "./attempts.ts";
import { confirmPerson, type OwnSession } from "./confirm-person.ts";
import type { PasskeyOptions } from "./passkey-site.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { refuseWithoutPasswords } from "./password-sign-in.ts";
import { revokeSignInLinks, revokeSignIns } from "./revoke-sign-ins.ts";
import { requireSession } from "./sessions.ts";
import { asEmailConflict, hashPassword, normalizeEmail, type User } from "./users.ts";

/** A user as they see themselves. */
export type OwnUser = User & { hasPassword: boolean; avatarFile: string | null; isAdministrator: boolean };

/** The changes that users make to their own account; undefined leaves a field unchanged. */
export type UserChange = {
  name?: string | undefined;
  email?: string | undefined;
  /** Sets a new password. */
  password?: { current: string; new: string } | undefined;
  /** Required to change the e-mail address without the password. */
  currentPassword?: string | undefined;
};

type Deps = {
  db: Db;
  now: () => number;
  config: PasskeyOptions;
  /** Wrong passwords. */
  limits: AttemptLimits;
  /** Changes of the e-mail address. */
  emailChanges: AttemptLimits;
  signal?: AbortSignal;
};

/** The user as they see themselves. Throws "not_found" for a deleted user. */
export async function getUser({ db }: Pick<Deps, "db">, userId: string): Promise<OwnUser> {
  const { passwordHash, isAdministrator, ...user } = await findRow(db, userId);
  return { ...user, hasPassword: passwordHash !== null, isAdministrator: isAdministrator === 1 };
}

/**
 * Changes the user of this session, and returns them. A new password requires the current one, and a new e-mail address
 * requires that confirmPerson confirms the person. Both end the user's open links, and a new password also ends their
 * other sessions. A new address is unverified until the user opens a mailed link, or the operator verifies it.
 * Throws "unprocessable_entity" for an invalid value, such as a wrong password; "forbidden" when confirmPerson requires
 * another sign-in, and for a password while passwords are off; "conflict" for an address in use, and when another request
 * has changed the password; "unauthorized" when the session has ended; "rate_limit_exceeded" after too many wrong
 * passwords or changes of the address.
 */
export async function updateUser(deps: Deps, session: OwnSession, change: UserChange): Promise<OwnUser> {
  const { userId, sessionId } = session;
  const before = await findRow(deps.db, userId);
  const { name, email: sentEmail, password, currentPassword, ...left } = change;
  left satisfies NoFieldsLeft;
  const email = sentEmail === undefined ? before.email : normalizeEmail(sentEmail);
  if (email === undefined) throw invalid("email", "must be an e-mail address such as you@example.com.");
  const hasOtherEmail = email !== before.email;
  if (password !== undefined) {
    refuseWithoutPasswords(deps.config);
    await requirePassword(deps, before, "password.current", password.current);
  }
  if (hasOtherEmail) {
    await confirmPerson(deps, session, currentPassword ?? password?.current);
    deps.emailChanges.take({ address: undefined, account: userId });
  }
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(hasOtherEmail ? { email, verifiedAt: null } : {}),
    ...(password === undefined
      ? {}
      : { passwordHash: await hashPassword(password.new, { account: userId, signal: deps.signal }) }),
  };
  if (Object.keys(changes).length === 0) return await getUser(deps, userId);
  const isProven = password !== undefined || hasOtherEmail;

  try {
    await transact(deps.db, async (tx) => {
      await requireSession(tx, userId, sessionId);
      const changing = tx.updateTable("users").set(changes).where("id", "=", userId);
      // The password may have changed during the check, for instance by a mailed link.
      const { numUpdatedRows } = await (isProven
        ? changing.where("passwordHash", before.passwordHash === null ? "is" : "=", before.passwordHash)
        : changing
      ).executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n)
        throw new Problem("conflict", "Another request changed the password, so this request changed nothing.");
      if (password !== undefined) await revokeSignIns(tx, userId, sessionId);
      else if (hasOtherEmail) await revokeSignInLinks(tx, userId);
    });
  } catch (error) {
    throw asEmailConflict(error, email);
  }
  return await getUser(deps, userId);
}

type Row = User & { passwordHash: string | null; avatarFile: string | null; isAdministrator: 0 | 1 };

async function findRow(db: Db, userId: string): Promise<Row> {
  const row = await db
    .selectFrom("users")
    .leftJoin("userAvatars", "userAvatars.userId", "users.id")
    .select(["users.id", "users.email", "users.name", "users.verifiedAt", "users.createdAt", "users.passwordHash"])
    .select(["userAvatars.file as avatarFile", "users.isAdministrator"])
    .where("users.deletedAt", "is", null)
    .where("users.id", "=", userId)
    .executeTakeFirst();
  if (row === undefined) throw notFound("user");
  return row;
}

/**
 * Checks the current password of a user: a stolen session must not lock the user out. Guesses are limited.
 * Throws "unprocessable_entity" for a missing or wrong password, "rate_limit_exceeded".
 */
async function requirePassword(
  { limits, signal }: Pick<Deps, "limits" | "signal">,
  { id, email, passwordHash }: Pick<Row, "id" | "email" | "passwordHash">,
  field: string,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw invalid(field, "is required; it must be your current password.");
  const isRight = async () =>
    passwordHash !== null && (await fitsPasswordHash(password, passwordHash, { account: id, signal }));
  if (!(await limits.check({ address: undefined, account: email ?? id }, isRight))) {
    throw invalid(field, "is not your current password.");
  }
}
