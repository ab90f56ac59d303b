import type { Kysely } from "kysely";
import { newId, randomBase62, sha256 } from "../base/ids.ts";
import { Problem } from "../base/problem.ts";
import { dayMs } from "../base/time.ts";
import type { Tx } from "../database/outbox.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { passwordHashOf } from "./password-hash.ts";

/** The most characters of an e-mail address (RFC 5321). */
export const emailMax = 254;
/** The least and the most characters of a password. */
export const passwordMin = 10;
export const passwordMax = 1_000;
const signInLinkLifeMs = 7 * dayMs;

type Deps = { db: Kysely<Schema>; now: () => number };

/**
 * No control characters, which PostgreSQL or a mail server would stumble over, and nothing that makes a mail program
 * read one address as several or as another: `x<ada@example.com>`.
 */
const emailForm = /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u;

/** The form in which an e-mail address is stored and compared; undefined for what is no address. */
export function normaliseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return emailForm.test(email) && email.length <= emailMax && email.isWellFormed() ? email : undefined;
}

/** Makes a user and returns its id. Throws "conflict" when the e-mail is in use. */
export async function insertUser(
  tx: Tx,
  user: { email: string | null; name: string; passwordHash: string | null },
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

/**
 * The argon2id hash of a password.
 * Throws "unprocessable_entity" when it is too short or absurdly long, "unavailable" when too many are being hashed.
 */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < passwordMin || password.length > passwordMax) {
    throw new Problem("unprocessable_entity", `password: must have ${passwordMin} to ${passwordMax} characters.`);
  }
  return await passwordHashOf(password);
}

/** Sets the password of the user with this e-mail. Throws "not_found" when there is none. */
export async function setPassword(deps: Pick<Deps, "db">, email: string, password: string): Promise<void> {
  const passwordHash = await hashPassword(password);
  const { numUpdatedRows } = await deps.db
    .updateTable("users")
    .set({ passwordHash })
    .where("email", "=", normaliseEmail(email) ?? "")
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Problem("not_found", `No user has the e-mail address ${email}.`);
}

/** Makes a one-time link's token, by which a person sets e-mail and password within a week. Only its hash is stored. */
export async function insertSignInLink(tx: Tx, userId: string, now: number): Promise<string> {
  const token = randomBase62(40);
  await tx
    .insertInto("signInLinks")
    .values({ hash: sha256(token), userId, expiresAt: now + signInLinkLifeMs })
    .execute();
  return token;
}

/** Whether a one-time link still opens. */
export async function isSignInLinkOpen(deps: Deps, token: string): Promise<boolean> {
  const row = await deps.db
    .selectFrom("signInLinks")
    .select("userId")
    .where("hash", "=", sha256(token))
    .where("expiresAt", ">", deps.now())
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Uses up a one-time link: the user it was made for gets this e-mail and password.
 * Throws "not_found" for a link that is unknown, used or expired; "conflict" for an e-mail in use (the link stays open).
 */
export async function useSignInLink(deps: Deps, token: string, email: string, password: string): Promise<void> {
  // Anybody can call this, so the dear part waits until the token is known to be one.
  if (!(await isSignInLinkOpen(deps, token))) throw closedLink();
  const address = normaliseEmail(email);
  if (address === undefined) throw new Problem("unprocessable_entity", "email: must be one such as you@example.com.");
  const passwordHash = await hashPassword(password);
  try {
    await transact(deps.db, async (tx) => {
      const link = await tx
        .deleteFrom("signInLinks")
        .where("hash", "=", sha256(token))
        .where("expiresAt", ">", deps.now())
        .returning("userId")
        .executeTakeFirst();
      // Another call may have used it since it was looked at.
      if (link === undefined) throw closedLink();
      await tx.updateTable("users").set({ email: address, passwordHash }).where("id", "=", link.userId).execute();
    });
  } catch (error) {
    throw asEmailConflict(error, address);
  }
}

function closedLink(): Problem {
  return new Problem("not_found", "This link was used or has expired.", {
    hint: "Set the password on the server: waypost user password --email you@example.com",
  });
}

function asEmailConflict(error: unknown, email: string | null): unknown {
  if (violatedIndex(error) !== "userEmail") return error;
  return new Problem("conflict", `email: ${email ?? ""} belongs to another user already.`, { cause: error });
}

/** Deletes the one-time links that have expired, and returns how many; for the cleanup task. */
export async function forgetExpiredSignInLinks({ db, now }: Deps): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("signInLinks")
    .where("expiresAt", "<=", now())
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
