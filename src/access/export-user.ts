import { notFound } from "../base/problem.ts";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { getOneTimeCodes } from "./one-time-codes.ts";
import { listPasskeys } from "./passkeys.ts";

/** The most rows of each kind in an export. No user has more, because the limit of each kind is lower. */
const rowsMax = 10_000;

/**
 * Returns everything that is stored about a user, without secrets, and without the hashes of passwords and keys. Throws
 * "not_found" for a deleted user.
 */
export async function exportUser({ db, now }: { db: Db; now: () => number }, userId: string) {
  return {
    format: "waypost-account",
    version: 1,
    exportedAt: isoTime(now()),
    profile: await profileOf(db, userId),
    workspaces: await workspacesOf(db, userId),
    sessions: await sessionsOf(db, userId),
    oneTimeCodes: await oneTimeCodesOf(db, userId),
    passkeys: await passkeysOf(db, userId),
    identities: await identitiesOf(db, userId),
    apiKeys: await apiKeysOf(db, userId),
    invites: await invitesOf(db, userId),
    savedViews: await savedViewsOf(db, userId),
    notifications: await notificationsOf(db, userId),
  };
}

async function profileOf(db: Db, userId: string) {
  const user = await db
    .selectFrom("users")
    .leftJoin("userAvatars", "userAvatars.userId", "users.id")
    .select(["users.id", "users.email", "users.name", "users.verifiedAt", "users.language", "users.createdAt"])
    .select(["users.isAdministrator", "userAvatars.type", "userAvatars.image"])
    .where("users.id", "=", userId)
    .where("users.deletedAt", "is", null)
    .executeTakeFirst();
  if (user === undefined) throw notFound("user");
  const { type, image, verifiedAt, createdAt, isAdministrator, ...rest } = user;
  return {
    ...rest,
    emailVerifiedAt: isoTimeOrNull(verifiedAt),
    isAdministrator: isAdministrator === 1,
    createdAt: isoTime(createdAt),
    avatar: image === null ? null : `data:${type};base64,${image}`,
  };
}

async function workspacesOf(db: Db, userId: string) {
  const rows = await db
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select(["workspaces.id", "workspaces.name", "members.role", "members.createdAt"])
    .where("members.userId", "=", userId)
    .orderBy("workspaces.id")
    .limit(rowsMax)
    .execute();
  return rows.map(({ createdAt, ...row }) => ({ ...row, joinedAt: isoTime(createdAt) }));
}

async function sessionsOf(db: Db, userId: string) {
  const rows = await db
    .selectFrom("sessions")
    .select(["id", "label", "method", "hasSecondFactor", "createdAt", "lastSeenAt", "expiresAt"])
    .where("userId", "=", userId)
    .orderBy("id")
    .limit(rowsMax)
    .execute();
  return rows.map((row) => ({
    ...row,
    hasSecondFactor: row.hasSecondFactor === 1,
    createdAt: isoTime(row.createdAt),
    lastSeenAt: isoTime(row.lastSeenAt),
    expiresAt: isoTime(row.expiresAt),
  }));
}

async function oneTimeCodesOf(db: Db, userId: string) {
  const { since, recoveryCodesLeft } = await getOneTimeCodes({ db }, userId);
  return { isOn: since !== null, since: isoTimeOrNull(since), recoveryCodesLeft };
}

async function passkeysOf(db: Db, userId: string) {
  return (await listPasskeys({ db }, userId)).map((passkey) => ({
    ...passkey,
    createdAt: isoTime(passkey.createdAt),
    lastUsedAt: isoTimeOrNull(passkey.lastUsedAt),
  }));
}

/** The accounts of identity providers that sign the user in. */
async function identitiesOf(db: Db, userId: string) {
  const rows = await db
    .selectFrom("identities")
    .select(["issuer", "subject", "email", "hasSecondFactor", "createdAt"])
    .where("userId", "=", userId)
    .orderBy("issuer")
    .orderBy("subject")
    .limit(rowsMax)
    .execute();
  return rows.map((row) => ({
    ...row,
    hasSecondFactor: row.hasSecondFactor === 1,
    createdAt: isoTime(row.createdAt),
  }));
}

async function apiKeysOf(db: Db, userId: string) {
  const rows = await db
    .selectFrom("apiKeys")
    .select(["id", "name", "prefix", "workspaceId", "scopes", "expiresAt", "lastUsedAt", "createdAt"])
    .where("userId", "=", userId)
    .orderBy("id")
    .limit(rowsMax)
    .execute();
  return rows.map((row) => ({
    ...row,
    scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as unknown),
    expiresAt: isoTimeOrNull(row.expiresAt),
    lastUsedAt: isoTimeOrNull(row.lastUsedAt),
    createdAt: isoTime(row.createdAt),
  }));
}

async function invitesOf(db: Db, userId: string) {
  const rows = await db
    .selectFrom("invites")
    .select(["id", "workspaceId", "email", "role", "expiresAt", "createdAt"])
    .where("userId", "=", userId)
    .orderBy("id")
    .limit(rowsMax)
    .execute();
  return rows.map((row) => ({ ...row, expiresAt: isoTime(row.expiresAt), createdAt: isoTime(row.createdAt) }));
}

async function savedViewsOf(db: Db, userId: string) {
  const rows = await db
    .selectFrom("savedViews")
    .select(["id", "workspaceId", "name", "query", "isShared", "createdAt", "updatedAt"])
    .where("userId", "=", userId)
    .orderBy("id")
    .limit(rowsMax)
    .execute();
  return rows.map((row) => ({
    ...row,
    isShared: row.isShared === 1,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }));
}

async function notificationsOf(db: Db, userId: string) {
  const rows = await db
    .selectFrom("notifications")
    .select(["id", "workspaceId", "kind", "folderId", "shareId", "timeZone", "language", "lastSentAt", "createdAt"])
    .where("userId", "=", userId)
    .orderBy("id")
    .limit(rowsMax)
    .execute();
  return rows.map((row) => ({
    ...row,
    lastSentAt: isoTimeOrNull(row.lastSentAt),
    createdAt: isoTime(row.createdAt),
  }));
}
