import { newApiKeyText } from "../base/api-key-text.ts";
import { newId, sha256 } from "../base/ids.ts";
import type { NoFieldsLeft } from "../base/no-fields-left.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import { isoTime, minuteMs } from "../base/time.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import type { ApiKeysTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { type Actor, requireOwner, type Scope, scopes } from "./actor.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { requireCaller } from "./require-caller.ts";
import { membershipIn } from "./roles.ts";
import { hasSecondFactor, usersWithSecondFactor } from "./second-factors.ts";
import { requireRoom } from "./workspace-limits.ts";

/** Long enough to tell keys apart in a list, too short to help guess the rest. */
const keyPrefixLength = 8;
const lastUsePrecisionMs = minuteMs;
/** Keys that one user may hold in one workspace. */
const apiKeysMax = 100;

/** An API key without its text, as it is stored. Instants are milliseconds since the epoch. */
type StoredApiKey = {
  id: string;
  name: string;
  prefix: string;
  /** null allows every scope. */
  scopes: Scope[] | null;
  userId: string;
  /**
   * The workspace in which it acts when a call names none; for another member's key from elsewhere, the actor's
   * workspace.
   */
  workspaceId: number;
  /** True for a key that acts in every workspace of its user that a call names. */
  allWorkspaces: boolean;
  expiresAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
};

/** An API key as callers in the actor's workspace see it. */
export type ApiKey = StoredApiKey & {
  /** True when the workspace refuses it, since it requires a second factor and the key's user has none. */
  lacksSecondFactor: boolean;
};

/** The fields of a new key that a caller writes: null scopes allow all, a null expiry means never. */
export type NewApiKey = { name: string; scopes: Scope[] | null; expiresAt: number | null; allWorkspaces: boolean };

/** Changes of a key; undefined leaves a field alone. */
export type ApiKeyChange = { name?: string | undefined; expiresAt?: number | null | undefined };

type Deps = { db: Db; now: () => number };

/**
 * Creates a key for the actor's user in the actor's workspace and returns it with its text, which is never shown again.
 * Throws "forbidden" when the new key could do more or last longer than the calling key, "conflict" beyond apiKeysMax,
 * "unprocessable_entity" for a past expiry, "unauthorized" when the caller's session or key has just ended.
 */
export async function createApiKey(deps: Deps, actor: Actor, input: NewApiKey): Promise<ApiKey & { key: string }> {
  refuseBroaderScopes(actor, input.scopes);
  refuseLaterExpiry(actor, input.expiresAt);
  if (input.allWorkspaces && actor.isBoundToWorkspace === true) {
    throw new Problem("forbidden", "allWorkspaces: must not be true, because this API key acts in one workspace only.");
  }
  refusePastExpiry(input.expiresAt, deps.now());
  const key = newApiKeyText();
  return await transact(deps.db, async (tx) => {
    if (input.allWorkspaces && actor.sessionId !== undefined && actor.hasSecondFactor !== true) {
      await refuseWithoutFactor(tx, actor.userId);
    }
    const count = await countRows(
      tx.selectFrom("apiKeys").where("workspaceId", "=", actor.workspaceId).where("userId", "=", actor.userId),
    );
    if (count >= apiKeysMax) {
      throw new Problem(
        "conflict",
        `You have ${apiKeysMax} API keys in this workspace, which is the limit; revoke one first.`,
      );
    }
    await requireRoom(tx, actor.workspaceId, "apiKeys");
    await requireCaller(tx, actor);
    const stored = await insertApiKey(tx, actor, input, key, deps.now());
    return { ...(await withFactor(tx, actor, stored)), key };
  });
}

/** Throws "unprocessable_entity" for a past expiry. */
export function refusePastExpiry(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw invalid("expiresAt", "must be in the future.");
}

/**
 * Stores a key with a given text, for createApiKey and the bootstrap. Throws "conflict" for a text in use, "forbidden" for
 * a disabled user.
 */
export async function insertApiKey(
  tx: Tx,
  owner: Pick<Actor, "userId" | "workspaceId" | "apiKeyId">,
  input: NewApiKey,
  key: string,
  now: number,
): Promise<StoredApiKey> {
  const { name, scopes, expiresAt, allWorkspaces, ...left } = input;
  left satisfies NoFieldsLeft;
  const row = {
    id: newId("key", now),
    userId: owner.userId,
    workspaceId: owner.workspaceId,
    isForAllWorkspaces: allWorkspaces ? 1 : 0,
    name,
    hash: sha256(key),
    prefix: key.slice(0, keyPrefixLength),
    scopes: scopes === null ? null : JSON.stringify(scopes),
    expiresAt,
    lastUsedAt: null,
    createdAt: now,
  } as const;
  await lockEnabledUser(tx, owner.userId);
  try {
    await tx.insertInto("apiKeys").values(row).execute();
  } catch (error) {
    if (violatedIndex(error) !== "apiKeyHash") throw error;
    throw new Problem("conflict", "This API key already exists.", { cause: error });
  }
  await emit(
    tx,
    eventBy(owner, "apiKey.created", row.id, now, { name, prefix: row.prefix, scopes, expiresAt, allWorkspaces }),
  );
  return fromRow(row);
}

/** The keys that can act in the workspace, oldest first: all of them for an owner, the actor's own for others. */
export async function listApiKeys(deps: Pick<Deps, "db">, actor: Actor): Promise<ApiKey[]> {
  let query = keysWithAccess(deps.db, actor.workspaceId).orderBy("apiKeys.id");
  if (actor.role !== "owner") query = query.where("apiKeys.userId", "=", actor.userId);
  const keys = (await query.execute()).map((row) => withoutForeignWorkspace(actor, row));
  const userIds = new Set(keys.map(({ userId }) => userId));
  const refused = await refusedUsers(deps.db, actor.workspaceId, [...userIds]);
  return keys.map((key) => ({ ...key, lacksSecondFactor: refused.has(key.userId) }));
}

async function withFactor(db: Db, { workspaceId }: Actor, key: StoredApiKey): Promise<ApiKey> {
  const refused = await refusedUsers(db, workspaceId, [key.userId]);
  return { ...key, lacksSecondFactor: refused.has(key.userId) };
}

/** Those of the users whose keys the workspace refuses, since it requires a second factor. */
async function refusedUsers(db: Db, workspaceId: number, userIds: readonly string[]): Promise<Set<string>> {
  const workspace = await db
    .selectFrom("workspaces")
    .select("requiresSecondFactor")
    .where("id", "=", workspaceId)
    .executeTakeFirst();
  if (workspace?.requiresSecondFactor !== 1) return new Set();
  const safe = await usersWithSecondFactor(db, userIds);
  return new Set(userIds.filter((id) => !safe.has(id)));
}

/** Keys created in the workspace, and members' keys for all of their workspaces. */
function keysWithAccess(db: Db, workspaceId: number) {
  const members = db.selectFrom("members").select("userId").where("workspaceId", "=", workspaceId);
  return db
    .selectFrom("apiKeys")
    .selectAll("apiKeys")
    .where((where) =>
      where.or([
        where("apiKeys.workspaceId", "=", workspaceId),
        where.and([where("apiKeys.isForAllWorkspaces", "=", 1), where("apiKeys.userId", "in", members)]),
      ]),
    );
}

/** Hides from this workspace's owners in which other workspace a member created a key. */
function withoutForeignWorkspace({ userId, workspaceId }: Actor, row: Omit<ApiKeysTable, "hash">): StoredApiKey {
  const key = fromRow(row);
  return key.userId === userId ? key : { ...key, workspaceId };
}

/**
 * Renames a key or shortens its life; omitted fields stay as they are. A key's life is never extended.
 * Throws "not_found" for a key outside the workspace, "forbidden" for another user's unless the actor is an owner,
 * "unprocessable_entity" for a later expiry.
 */
export async function updateApiKey(deps: Deps, actor: Actor, id: string, change: ApiKeyChange): Promise<ApiKey> {
  return await transact(deps.db, async (tx) => {
    const before = await findApiKey(tx, actor, id);
    const { name = before.name, expiresAt = before.expiresAt, ...left } = change;
    left satisfies NoFieldsLeft;
    const shown = (key: ApiKeysTable) => withFactor(tx, actor, withoutForeignWorkspace(actor, key));
    if (name === before.name && expiresAt === before.expiresAt) return await shown(before);
    await tx.updateTable("apiKeys").set({ name }).where("id", "=", id).execute();
    if (expiresAt !== before.expiresAt) await shortenLife(tx, before, expiresAt);
    await emit(
      tx,
      eventBy(actor, "apiKey.updated", id, deps.now(), {
        before: { name: before.name, expiresAt: before.expiresAt },
        after: { name, expiresAt },
      }),
    );
    return await shown({ ...before, name, expiresAt });
  });
}

async function shortenLife(tx: Tx, before: ApiKeysTable, expiresAt: number | null): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("apiKeys")
    .set({ expiresAt })
    .where("id", "=", before.id)
    // The condition reads the current row, so that simultaneous calls never undo an earlier end.
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">=", expiresAt ?? neverMs)]))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return;
  const end = before.expiresAt === null ? "" : ` than ${isoTime(before.expiresAt)}`;
  throw invalid("expiresAt", `can only be moved to an earlier time${end}; to extend access, create a new key.`);
}

/** Later than every instant, so that a key with an end keeps it. */
const neverMs = Number.MAX_SAFE_INTEGER;

async function findApiKey(tx: Tx, actor: Actor, id: string): Promise<ApiKeysTable> {
  const row = await keysWithAccess(tx, actor.workspaceId).where("apiKeys.id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("API key");
  if (row.userId !== actor.userId) requireOwner(actor);
  return row;
}

/**
 * Revokes a key at once, in all its workspaces. Throws "not_found" for a key outside the workspace, "forbidden" for
 * another user's unless the actor is an owner.
 */
export async function revokeApiKey(deps: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  return await transact(deps.db, async (tx) => {
    const row = await findApiKey(tx, actor, id);
    const { numDeletedRows } = await tx.deleteFrom("apiKeys").where("id", "=", id).executeTakeFirstOrThrow();
    // Another call has just revoked it.
    if (numDeletedRows === 0n) throw notFound("API key");
    const at = deps.now();
    for (const workspaceId of new Set([row.workspaceId, actor.workspaceId])) {
      const { name, prefix } = row;
      await emit(tx, eventBy({ ...actor, workspaceId }, "apiKey.revoked", id, at, { name, prefix }));
    }
    return { id };
  });
}

/** Prepared, since every request runs it. */
const selectByHash = prepared((db, value: Slot<{ hash: string }>) =>
  db
    .selectFrom("apiKeys")
    .select(["id", "userId", "workspaceId", "isForAllWorkspaces", "scopes", "expiresAt", "lastUsedAt"])
    .where("hash", "=", value("hash")),
);

/**
 * The caller behind a key; undefined for an unknown or expired key.
 * If `workspaceId` names another workspace than the key's own, the key must be for all of its user's workspaces. Throws
 * "not_found" if the user is no member there, so that a foreign workspace looks like none, and "forbidden" for a key
 * that acts in its own workspace only.
 */
export async function authenticate(
  deps: Deps,
  key: string,
  workspaceId: number | undefined,
): Promise<Actor | undefined> {
  const [row] = await selectByHash(deps.db, { hash: sha256(key) });
  const now = deps.now();
  if (row === undefined || (row.expiresAt !== null && row.expiresAt <= now)) return undefined;
  await recordUse(deps.db, row, now);

  const actingIn = workspaceId ?? row.workspaceId;
  const member = await membershipIn(deps.db, { workspaceId: actingIn, userId: row.userId });
  if (member !== undefined) {
    const { role } = member;
    const isBoundToWorkspace = row.isForAllWorkspaces === 0;
    if (isBoundToWorkspace && actingIn !== row.workspaceId) {
      throw new Problem("forbidden", "This API key acts only in the workspace where it was created.");
    }
    const { userId, expiresAt, id: apiKeyId } = row;
    const bound = isBoundToWorkspace ? { isBoundToWorkspace } : {};
    const lacksSecondFactor = member.requiresSecondFactor === 1 && !(await hasSecondFactor(deps.db, userId));
    const scopes = parseScopeSet(row.scopes);
    return {
      userId,
      workspaceId: actingIn,
      role,
      scopes,
      expiresAt,
      apiKeyId,
      ...bound,
      ...(lacksSecondFactor && { lacksSecondFactor }),
    };
  }
  // A key stops working when its user leaves its own workspace.
  if (actingIn === row.workspaceId) return undefined;
  throw notFound("workspace");
}

async function recordUse(
  db: Db,
  { id, lastUsedAt }: Pick<ApiKeysTable, "id" | "lastUsedAt">,
  now: number,
): Promise<void> {
  if (lastUsedAt !== null && now - lastUsedAt < lastUsePrecisionMs) return;
  try {
    await db.updateTable("apiKeys").set({ lastUsedAt: now }).where("id", "=", id).execute();
  } catch {
    // Ignored: the time is for people, the next call writes it, and a full disk must not stop calls that only read.
  }
}

/** A key for all workspaces would act in those whose second factor the session lacks. */
async function refuseWithoutFactor(tx: Tx, userId: string): Promise<void> {
  const requiring = await tx
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select("workspaces.id")
    .where("members.userId", "=", userId)
    .where("workspaces.requiresSecondFactor", "=", 1)
    .executeTakeFirst();
  if (requiring === undefined) return;
  const message =
    "allWorkspaces: must not be true, because a workspace requires a second factor; sign in with a code or a passkey first.";
  throw new Problem("forbidden", message);
}

function refuseBroaderScopes(actor: Actor, requested: Scope[] | null): void {
  if (actor.scopes === null) return;
  const held = actor.scopes;
  if (requested === null || requested.some((scope) => !held.has(scope))) {
    throw new Problem("forbidden", `scopes: must be among the scopes of your own API key: ${[...held].join(", ")}.`);
  }
}

/** Otherwise a leaked key with a short life could create one that never expires. */
function refuseLaterExpiry(actor: Actor, requested: number | null): void {
  if (actor.expiresAt === null || (requested !== null && requested <= actor.expiresAt)) return;
  throw new Problem(
    "forbidden",
    `expiresAt: must not be later than that of your own API key: ${isoTime(actor.expiresAt)}.`,
  );
}

function fromRow(row: Omit<ApiKeysTable, "hash">): StoredApiKey {
  const { id, name, prefix, userId, workspaceId, expiresAt, lastUsedAt, createdAt } = row;
  const allWorkspaces = row.isForAllWorkspaces === 1;
  const rest = { expiresAt, lastUsedAt, createdAt };
  return { id, name, prefix, scopes: parseScopes(row.scopes), userId, workspaceId, allWorkspaces, ...rest };
}

function parseScopeSet(text: string | null): ReadonlySet<Scope> | null {
  const list = parseScopes(text);
  return list === null ? null : new Set(list);
}

function parseScopes(text: string | null): Scope[] | null {
  if (text === null) return null;
  const stored: unknown = JSON.parse(text);
  return scopes.filter((scope) => Array.isArray(stored) && stored.includes(scope));
}
