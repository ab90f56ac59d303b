import { newId, randomBase62, sha256 } from "../base/ids.ts";
import { Problem } from "../base/problem.ts";
import { dayMs, hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { type HashFor, passwordHashOf } from "./password-hash.ts";
import { nameFromEmail, requirePersonName } from "./person-name.ts";
import { revokeSignIns } from "./revoke-sign-ins.ts";
import { verifyEmail } from "./verify-email.ts";

/** Characters of an e-mail address (RFC 5321). */
export const emailMax = 254;
/** Bounds of the characters of a password. */
export const passwordMin = 10;
export const passwordMax = 1_000;
/** Life of a one-time link: of a new user, and of a user who has forgotten the password. */
const signInLinkLifeMs = 7 * dayMs;
export const resetLinkLifeMs = hourMs;

/** A person. Instants are in milliseconds; verifiedAt is null while the e-mail address is not verified. */
export type User = { id: string; email: string | null; name: string; verifiedAt: number | null; createdAt: number };

type Deps = { db: Db; now: () => number };

/**
 * Excludes control characters, which PostgreSQL or a mail server would refuse, and everything that makes a mail program
 * read one address as several or as another: `x<ada@example.com>`.
 */
const emailPattern = /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u;

/** The stored form of an e-mail address; undefined for an invalid one. */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return emailPattern.test(email) && email.length <= emailMax && email.isWellFormed() ? email : undefined;
}

/** Creates a user and returns its id. Throws "conflict" when the e-mail is in use. */
export async function insertUser(
  tx: Tx,
  user: { email: string | null; name: string; passwordHash: string | null; verifiedAt?: number },
  now: number,
): Promise<string> {
  const id = newId("user", now);
  try {
    await tx
      .insertInto("users")
      .values({ id, ...user, createdAt: now })
      .execute();
  } catch (error) {
    throw asEmailConflict(error, user.email);
  }
  return id;
}

/** The user with this id; undefined for a deleted one. */
export async function findUser({ db }: Pick<Deps, "db">, id: string): Promise<User | undefined> {
  return await db
    .selectFrom("users")
    .select(["id", "email", "name", "verifiedAt", "createdAt"])
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
}

/**
 * The argon2id hash of a password.
 * Throws "unprocessable_entity" when it is too short or far too long, "unavailable" while too many are being hashed.
 */
export async function hashPassword(password: string, hashFor: HashFor): Promise<string> {
  if (password.length < passwordMin || password.length > passwordMax) {
    throw new Problem("unprocessable_entity", `password: must have ${passwordMin} to ${passwordMax} characters.`);
  }
  return await passwordHashOf(password, hashFor);
}

/**
 * Sets the password of the user with this e-mail, ends the user's sessions, and returns the user, with whether they had a
 * password before. Throws "not_found" for an unknown one.
 */
export async function setPassword(
  deps: Pick<Deps, "db">,
  email: string,
  password: string,
): Promise<Pick<User, "id" | "email" | "verifiedAt"> & { hadPassword: boolean }> {
  const passwordHash = await hashPassword(password, { account: email });
  return await transact(deps.db, async (tx) => {
    const user = await tx
      .selectFrom("users")
      .select(["id", "email", "verifiedAt", "passwordHash"])
      .where("email", "=", normalizeEmail(email) ?? "")
      .executeTakeFirst();
    if (user === undefined) throw new Problem("not_found", `No user has the e-mail address ${email}.`);
    await tx.updateTable("users").set({ passwordHash }).where("id", "=", user.id).execute();
    await revokeSignIns(tx, user.id);
    const { passwordHash: earlier, ...rest } = user;
    return { ...rest, hadPassword: earlier !== null };
  });
}

/** The user who gets links by mail at this normalized address; undefined for an unknown address and a disabled user. */
export async function findMailable(tx: Tx, email: string): Promise<{ id: string } | undefined> {
  return await tx
    .selectFrom("users")
    .select("id")
    .where("email", "=", email)
    .where("disabledAt", "is", null)
    .executeTakeFirst();
}

/**
 * Creates the token of a one-time link, by which a person sets a password, and an e-mail address if they have none.
 * Only its hash is stored. Using the link verifies `email`, the address that it is mailed to.
 */
export async function insertSignInLink(
  tx: Tx,
  userId: string,
  now: number,
  { email = null, lifeMs = signInLinkLifeMs }: { email?: string | null; lifeMs?: number } = {},
): Promise<string> {
  const token = randomBase62(40);
  await tx
    .insertInto("signInLinks")
    .values({ hash: sha256(token), userId, email, expiresAt: now + lifeMs })
    .execute();
  return token;
}

/** An open one-time link; `mailedTo` is null for one that the operator passes on. */
type SignInLink = {
  userId: string;
  email: string | null;
  verifiedAt: number | null;
  hasPassword: boolean;
  mailedTo: string | null;
};

/** The open one-time link with this token; undefined when it is closed. */
export async function findSignInLink(deps: Deps, token: string): Promise<SignInLink | undefined> {
  const row = await deps.db
    .selectFrom("signInLinks")
    .innerJoin("users", "users.id", "signInLinks.userId")
    .select(["users.id as userId", "users.email", "users.verifiedAt", "signInLinks.email as mailedTo"])
    .select("users.passwordHash")
    .where("signInLinks.hash", "=", sha256(token))
    .where("signInLinks.expiresAt", ">", deps.now())
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { passwordHash, ...link } = row;
  return { ...link, hasPassword: passwordHash !== null };
}

/** The form behind a one-time link; only the first user enters name and e-mail. null leaves the user without a password. */
type SignInForm = { name: string; email: string; password: string | null };

/**
 * Uses a one-time link: sets the password of its user, and, for a user without an e-mail address, that address and the
 * name, or one from the address when it is empty. The user's sessions and other links end. A mailed link verifies the
 * address, and so does the link of the first start, which the operator has passed on. Returns the user's id.
 * Throws "not_found" for a link that is unknown, used or expired; "conflict" for an e-mail in use (the link stays
 * open); "unprocessable_entity" for an invalid field.
 */
export async function useSignInLink(
  deps: Deps,
  token: string,
  form: SignInForm,
  signal?: AbortSignal,
): Promise<string> {
  // Anyone can call this, so the token is checked before the expensive part.
  const open = await findSignInLink(deps, token);
  if (open === undefined) throw signInLinkClosed();
  const address = open.email ?? normalizeEmail(form.email);
  if (address === undefined)
    throw new Problem("unprocessable_entity", "email: must be an e-mail address such as you@example.com.");
  // The first user was created without a name and an address.
  const named = open.email === null ? { name: requirePersonName(form.name.trim() || nameFromEmail(address)) } : {};
  const hashFor = { account: open.userId, signal };
  const passwordHash = form.password === null ? null : await hashPassword(form.password, hashFor);
  try {
    await transact(deps.db, async (tx) => {
      const link = await tx
        .deleteFrom("signInLinks")
        .where("hash", "=", sha256(token))
        .where("expiresAt", ">", deps.now())
        .returning(["userId", "email"])
        .executeTakeFirst();
      // Another call may have used it in between.
      if (link === undefined) throw signInLinkClosed();
      await revokeSignIns(tx, link.userId);
      // Nothing has to end: so far only the operator had this account.
      const ofFirstStart = open.email === null ? { verifiedAt: deps.now() } : {};
      await tx
        .updateTable("users")
        .set({ email: address, passwordHash, ...named, ...ofFirstStart })
        .where("id", "=", link.userId)
        .execute();
      if (link.email === address)
        await verifyEmail(tx, { userId: link.userId, email: address, passwordHash }, deps.now());
    });
  } catch (error) {
    throw asEmailConflict(error, address);
  }
  return open.userId;
}

/** The problem of a one-time link that is unknown, used or expired. */
export function signInLinkClosed(): Problem {
  return new Problem("not_found", "This link has been used or has expired.", {
    hint: "Set the password on the server: waypost user password --email you@example.com",
  });
}

/** The problem of a failed write of a user: "conflict" for an e-mail in use, otherwise the error itself. */
export function asEmailConflict(error: unknown, email: string | null): unknown {
  if (violatedIndex(error) !== "userEmail") return error;
  return new Problem("conflict", `email: ${email ?? ""} already belongs to another user.`, { cause: error });
}

/** Deletes expired one-time links, and returns how many; for the cleanup task. */
export async function forgetExpiredSignInLinks({ db, now }: Deps): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("signInLinks")
    .where("expiresAt", "<=", now())
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
