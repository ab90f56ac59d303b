import { newAccessTokenText } from "../base/api-key-text.ts";
import { newId, randomBase62, sha256 } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import { dayMs, minuteMs } from "../base/time.ts";
import { parseAgent } from "../clicks/agent.ts";
import { auditRow } from "../database/audit-entries.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { insertRows, prepared, type Slot } from "../database/prepared.ts";
import type { SignInMethod } from "../database/sign-in-tables.ts";
import { transact } from "../database/transact.ts";
import { type Actor, noWorkspace } from "./actor.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { needsOneTimeCode } from "./needs-one-time-code.ts";
import { firstMembership, membershipIn } from "./roles.ts";

/**
 * Sessions: browsers in which a person is signed in.
 *
 * 1. The cookie's token only gets access tokens; an access token only calls the API.
 * 2. Only the SHA-256 of each token is stored. No address is stored.
 * 3. Every call looks its session up, so an ended session stops working at once.
 * 4. A session ends sessionLifeMs after its last use.
 */

/** How long an unused browser stays signed in. */
export const sessionLifeMs = 30 * dayMs;
/** Life of an access token; its session may end before. */
export const accessTokenLifeMs = 10 * minuteMs;
/** The most sessions of one user; a further one replaces the one unused for longest. */
export const sessionsMax = 50;
/** The most access tokens of one session, for many tabs; a further one replaces the oldest. */
export const accessTokensMax = 50;
const lastSeenPrecisionMs = minuteMs;
const cookieTokenLength = 40;

/** A session as its user sees it. Instants are milliseconds since the epoch. */
export type Session = {
  id: string;
  label: string;
  method: SignInMethod;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
};
/**
 * How a person has signed in. `hasSecondFactor` is true when more than a password or a link was proven; by default, for
 * the methods "code" and "passkey". `provenBy` is the hash that the password was compared with, if there was one, and
 * `passkeyId` the passkey. `language` is that of the page ("en", "de" or "zh"), in which later mails about the account
 * are written.
 */
type SignIn = {
  userId: string;
  userAgent: string;
  language: string;
  method: SignInMethod;
  hasSecondFactor?: boolean;
  provenBy?: string;
  passkeyId?: string;
};
/** The token with which a session calls the API until `expiresAt`. */
type AccessToken = { token: string; expiresAt: number };

type Deps = { db: Db; now: () => number };

/**
 * Opens a session of the user in the browser with this user agent, and returns the token for its cookie.
 * Throws "unauthorized" when the user has another password by now, has removed the passkey, or has just turned one-time
 * codes on, which has ended every session; "forbidden" for a disabled user.
 */
export async function openSession(
  { db, now }: Deps,
  { userId, userAgent, language, method, provenBy, passkeyId, ...proof }: SignIn,
): Promise<string> {
  const { hasSecondFactor = method === "code" || method === "passkey" } = proof;
  const token = randomBase62(cookieTokenLength);
  const at = now();
  return await transact(db, async (tx) => {
    await lockEnabledUser(tx, userId);
    if (provenBy !== undefined) await lockPassword(tx, userId, provenBy);
    if (passkeyId !== undefined) await requirePasskey(tx, userId, passkeyId);
    if (!hasSecondFactor) await refuseWithoutCode(tx, userId);
    await tx.updateTable("users").set({ language }).where("id", "=", userId).execute();
    await tx
      .insertInto("sessions")
      .values({
        id: newId("session", at),
        userId,
        hash: sha256(token),
        label: labelOf(userAgent),
        method,
        hasSecondFactor: hasSecondFactor ? 1 : 0,
        passkeyId: passkeyId ?? null,
        createdAt: at,
        lastSeenAt: at,
        expiresAt: at + sessionLifeMs,
      })
      .execute();
    const beyond = tx
      .selectFrom("sessions")
      .select("id")
      .where("userId", "=", userId)
      .orderBy("lastSeenAt", "desc")
      .orderBy("id", "desc")
      .limit(sessionsMax)
      .offset(sessionsMax);
    await tx.deleteFrom("sessions").where("id", "in", beyond).execute();
    await recordSignIn(tx, userId, { method, browser: labelOf(userAgent) }, at);
    return token;
  });
}

/** Sign-ins of a user with the same browser and method are one entry of the audit log in this time. */
const signInEntryMs = minuteMs;

/** Adds the sign-in to the audit log of each of the user's workspaces. */
async function recordSignIn(
  tx: Tx,
  userId: string,
  after: { method: SignInMethod; browser: string },
  at: number,
): Promise<void> {
  const recent = await tx
    .selectFrom("auditEntries")
    .select(["workspaceId", "after"])
    .where("workspaceId", "in", (members) =>
      members.selectFrom("members").select("workspaceId").where("userId", "=", userId),
    )
    .where("userId", "=", userId)
    .where("kind", "=", "signIn")
    .where("at", ">=", at - signInEntryMs)
    .execute();
  const members = await tx.selectFrom("members").select("workspaceId").where("userId", "=", userId).execute();
  const text = JSON.stringify(after);
  const isListed = (workspaceId: number) =>
    recent.some((entry) => entry.workspaceId === workspaceId && entry.after === text);
  const rows = members
    .filter(({ workspaceId }) => !isListed(workspaceId))
    .map(({ workspaceId }) =>
      auditRow("signIn.succeeded", { workspaceId, objectId: userId, userId, at, data: { after } }),
    );
  await insertRows(tx, "auditEntries", rows);
}

/** Locks the user's password until the transaction ends. Throws "unauthorized" when it is another one. */
async function lockPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ passwordHash })
    .where("id", "=", userId)
    .where("passwordHash", "=", passwordHash)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return;
  throw new Problem("unauthorized", "The password has just been changed; sign in with the new one.");
}

/** Expects the lock of the user, under which passkeys are removed. Throws "unauthorized" for one that is gone. */
async function requirePasskey(tx: Tx, userId: string, passkeyId: string): Promise<void> {
  const passkey = await tx
    .selectFrom("passkeys")
    .select("id")
    .where("id", "=", passkeyId)
    .where("userId", "=", userId)
    .executeTakeFirst();
  if (passkey === undefined) throw new Problem("unauthorized", "This passkey has just been removed.");
}

/**
 * The caller holds the lock of the user, under which codes are turned on: a sign-in that began before must not keep a
 * session without the second factor. Throws "unauthorized".
 */
async function refuseWithoutCode(tx: Tx, userId: string): Promise<void> {
  if (!(await needsOneTimeCode({ db: tx }, userId))) return;
  throw new Problem("unauthorized", "One-time codes have just been turned on; sign in again with a code.");
}

/** Browser and system in a few words that people recognize. */
function labelOf(userAgent: string): string {
  const { browser, os } = parseAgent(userAgent);
  if (browser === "" || os === "") return browser || os || "Unknown browser";
  return `${browser} on ${os}`;
}

/** The session of a cookie's token; undefined for an unknown, ended or expired one. */
export async function findSession(
  { db, now }: Deps,
  token: string,
): Promise<{ id: string; userId: string } | undefined> {
  const at = now();
  const session = await db
    .selectFrom("sessions")
    .select(["id", "userId", "lastSeenAt"])
    .where("hash", "=", sha256(token))
    .where("expiresAt", ">", at)
    .executeTakeFirst();
  if (session === undefined) return undefined;
  await recordSeen(db, session, at);
  return { id: session.id, userId: session.userId };
}

/** Creates an access token of a session. Throws "not_found" when the session has just ended. */
export async function newAccessToken({ db, now }: Deps, sessionId: string): Promise<AccessToken> {
  const token = newAccessTokenText();
  const at = now();
  const expiresAt = at + accessTokenLifeMs;
  await transact(db, async (tx) => {
    const session = await tx.selectFrom("sessions").select("id").where("id", "=", sessionId).executeTakeFirst();
    if (session === undefined) throw notFound("session");
    await tx.deleteFrom("accessTokens").where("sessionId", "=", sessionId).where("expiresAt", "<=", at).execute();
    const beyond = tx
      .selectFrom("accessTokens")
      .select("hash")
      .where("sessionId", "=", sessionId)
      .orderBy("expiresAt", "desc")
      .limit(accessTokensMax)
      .offset(accessTokensMax - 1);
    await tx.deleteFrom("accessTokens").where("hash", "in", beyond).execute();
    await tx
      .insertInto("accessTokens")
      .values({ hash: sha256(token), sessionId, expiresAt })
      .execute();
  });
  return { token, expiresAt };
}

/** Prepared, since every call from the dashboard runs it. */
const selectByToken = prepared((db, value: Slot<{ hash: string; at: number }>) =>
  db
    .selectFrom("accessTokens")
    .innerJoin("sessions", "sessions.id", "accessTokens.sessionId")
    .select(["sessions.id", "sessions.userId", "sessions.lastSeenAt", "sessions.hasSecondFactor"])
    .where("accessTokens.hash", "=", value("hash"))
    .where("accessTokens.expiresAt", ">", value("at"))
    .where("sessions.expiresAt", ">", value("at")),
);

/**
 * The caller behind an access token; undefined for one that is unknown or expired, or whose session has ended. The user
 * has the rights of their role in the named workspace or else the first one; without membership they act in
 * `noWorkspace`.
 * Throws "not_found" for a workspace without the user.
 */
export async function authenticateSession(
  { db, now }: Deps,
  token: string,
  workspaceId: number | undefined,
): Promise<Actor | undefined> {
  const at = now();
  const [session] = await selectByToken(db, { hash: sha256(token), at });
  if (session === undefined) return undefined;
  await recordSeen(db, session, at);

  const { id: sessionId, userId } = session;
  const hasSecondFactor = session.hasSecondFactor === 1;
  const actor = { userId, scopes: null, expiresAt: null, sessionId, hasSecondFactor };
  const found =
    workspaceId === undefined
      ? await firstMembership(db, userId)
      : await membershipIn(db, { workspaceId, userId }).then((member) => member && { ...member, workspaceId });
  if (found !== undefined) {
    const { requiresSecondFactor, ...membership } = found;
    return { ...actor, ...membership, lacksSecondFactor: requiresSecondFactor === 1 && !hasSecondFactor };
  }
  if (workspaceId !== undefined) throw notFound("workspace");
  return { ...actor, workspaceId: noWorkspace, role: "viewer" };
}

async function recordSeen(db: Db, { id, lastSeenAt }: Pick<Session, "id" | "lastSeenAt">, at: number): Promise<void> {
  if (at - lastSeenAt < lastSeenPrecisionMs) return;
  try {
    const seen = { lastSeenAt: at, expiresAt: at + sessionLifeMs };
    await db.updateTable("sessions").set(seen).where("id", "=", id).execute();
  } catch {
    // Ignored: the next call writes it, and a full disk must not stop calls that only read.
  }
}

/** The sessions of a user, last used first; sessionsMax at most. */
export async function listSessions({ db, now }: Deps, userId: string): Promise<Session[]> {
  return await db
    .selectFrom("sessions")
    .select(["id", "label", "method", "createdAt", "lastSeenAt", "expiresAt"])
    .where("userId", "=", userId)
    .where("expiresAt", ">", now())
    .orderBy("lastSeenAt", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** Ends a session of the user at once. Throws "not_found" for another user's. */
export async function revokeSession({ db }: Pick<Deps, "db">, userId: string, id: string): Promise<{ id: string }> {
  const { numDeletedRows } = await db
    .deleteFrom("sessions")
    .where("id", "=", id)
    .where("userId", "=", userId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound("session");
  return { id };
}

/** Locks a session of the user until the transaction ends. Throws "unauthorized" for one that has ended. */
export async function requireSession(tx: Tx, userId: string, id: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("sessions")
    .set({ userId })
    .where("id", "=", id)
    .where("userId", "=", userId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Problem("unauthorized", "This session has ended; sign in again.");
}

/** Ends the session of a cookie's token, if it has not ended. */
export async function endSession({ db }: Pick<Deps, "db">, token: string): Promise<void> {
  await db.deleteFrom("sessions").where("hash", "=", sha256(token)).execute();
}

/** Ends all sessions of the user, except one if named; returns how many. */
export async function endSessionsOf(tx: Tx, userId: string, exceptId?: string): Promise<number> {
  let ending = tx.deleteFrom("sessions").where("userId", "=", userId);
  if (exceptId !== undefined) ending = ending.where("id", "<>", exceptId);
  return Number((await ending.executeTakeFirstOrThrow()).numDeletedRows);
}

/** Deletes expired sessions, access tokens and used challenges, and returns the number of sessions; for the cleanup task. */
export async function forgetExpiredSessions({ db, now }: Deps): Promise<number> {
  const at = now();
  await db.deleteFrom("accessTokens").where("expiresAt", "<=", at).execute();
  await db.deleteFrom("usedChallenges").where("expiresAt", "<=", at).execute();
  const { numDeletedRows } = await db.deleteFrom("sessions").where("expiresAt", "<=", at).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
