import { invalid } from "../base/problem.ts";
import { dayMs, isoTime } from "../base/time.ts";
import { mapInSlices } from "../base/time-slices.ts";
import type { AuditKind, AuditType } from "../database/audit-table.ts";
import type { Db } from "../database/database.ts";
import { type Actor, requireOwner } from "./actor.ts";

/**
 * The audit log of a workspace, for its owners: who changed members, keys, domains, settings and shares, and who signed
 * in. audit-entries.ts writes it.
 */

/** Entries of one page. */
export const auditPageSizeMax = 100;
/** Entries that one query reads for an export. */
const batchRowsMax = 500;
/** Entries deleted in one step. */
const stepRowsMax = 1_000;

/** The entries to list, newest first; undefined matches all. Instants are milliseconds; `end` is exclusive. */
export type AuditFilter = {
  kind?: AuditKind | undefined;
  userId?: string | undefined;
  start?: number | undefined;
  end?: number | undefined;
};

/** The page of a list: `startingAfter` is the id of the last entry of the page before. */
type AuditPage = { pageSize: number; startingAfter?: string | undefined };

type Fields = Record<string, unknown>;

/** An entry of an audit log. */
export type AuditEntry = {
  id: string;
  type: AuditType;
  /** Milliseconds since the epoch. */
  at: number;
  /** The user who acted: null for the service and its operator. Name and e-mail are null for a deleted user. */
  user: { id: string; name: string | null; email: string | null } | null;
  /** The API key with which the user acted; its name is null once it is revoked. */
  apiKey: { id: string; name: string | null } | null;
  /** The object that changed, by its name at that time; for members and sign-ins, the user's current name. */
  object: { id: string; name: string | null };
  /** Instants among the fields are in ISO 8601. */
  before: Fields | null;
  after: Fields | null;
};

type Deps = { db: Db };

/**
 * A page of the audit log, newest first. Throws "forbidden" unless the actor is an owner, "unprocessable_entity" for a
 * `startingAfter` that names no entry.
 */
export async function listAuditEntries(
  { db }: Deps,
  actor: Actor,
  filter: AuditFilter,
  { pageSize, startingAfter }: AuditPage,
): Promise<AuditEntry[]> {
  requireOwner(actor);
  const after = startingAfter === undefined ? undefined : await positionOf(db, actor, startingAfter);
  return await readPage(db, actor, filter, { pageSize, after });
}

/**
 * All matching entries, newest first, read in steps while the caller takes them.
 * Throws "forbidden" at the first step unless the actor is an owner.
 */
export async function* readAuditEntries({ db }: Deps, actor: Actor, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  requireOwner(actor);
  let after: Position | undefined;
  do {
    const entries = await readPage(db, actor, filter, { pageSize: batchRowsMax, after });
    yield entries;
    after = entries.length < batchRowsMax ? undefined : entries.at(-1);
  } while (after !== undefined);
}

/** The place of an entry in the order: by time, since ids do not follow a clock that was set back. */
type Position = Pick<AuditEntry, "id" | "at">;

async function positionOf(db: Db, { workspaceId }: Actor, id: string): Promise<Position> {
  const position = await db
    .selectFrom("auditEntries")
    .select(["id", "at"])
    .where("id", "=", id)
    .where("workspaceId", "=", workspaceId)
    .executeTakeFirst();
  if (position === undefined) throw invalid("startingAfter", "is not the id of an entry of this audit log.");
  return position;
}

async function readPage(
  db: Db,
  { workspaceId }: Actor,
  { kind, userId, start, end }: AuditFilter,
  { pageSize, after }: { pageSize: number; after: Position | undefined },
): Promise<AuditEntry[]> {
  let query = entriesOf(db, workspaceId)
    .orderBy("auditEntries.at", "desc")
    .orderBy("auditEntries.id", "desc")
    .limit(pageSize);
  if (kind !== undefined) query = query.where("auditEntries.kind", "=", kind);
  if (userId !== undefined) query = query.where("auditEntries.userId", "=", userId);
  if (start !== undefined) query = query.where("auditEntries.at", ">=", start);
  if (end !== undefined) query = query.where("auditEntries.at", "<", end);
  if (after !== undefined) {
    const { at, id } = after;
    query = query
      .where("auditEntries.at", "<=", at)
      .where((where) => where.or([where("auditEntries.at", "<", at), where("auditEntries.id", "<", id)]));
  }
  return await mapInSlices(await query.execute(), toEntry);
}

/** Deletes entries older than the retention in days; "again" while more are waiting. */
export async function forgetAuditEntries(
  { db, now }: Deps & { now: () => number },
  retentionDays: number,
): Promise<"again" | "idle"> {
  const due = db
    .selectFrom("auditEntries")
    .select("id")
    .where("at", "<", now() - retentionDays * dayMs)
    .orderBy("at")
    .limit(stepRowsMax);
  return await deleteEntries(db, due);
}

/** Deletes entries of a deleted workspace; "again" while more are waiting. */
export async function forgetAuditEntriesOf({ db }: Deps, workspaceId: number): Promise<"again" | "idle"> {
  const due = db.selectFrom("auditEntries").select("id").where("workspaceId", "=", workspaceId).limit(stepRowsMax);
  return await deleteEntries(db, due);
}

async function deleteEntries(db: Db, due: { execute(): Promise<{ id: string }[]> }): Promise<"again" | "idle"> {
  const ids = (await due.execute()).map(({ id }) => id);
  if (ids.length === 0) return "idle";
  await db.deleteFrom("auditEntries").where("id", "in", ids).execute();
  return ids.length === stepRowsMax ? "again" : "idle";
}

function entriesOf(db: Db, workspaceId: number) {
  return db
    .selectFrom("auditEntries")
    .leftJoin("users", "users.id", "auditEntries.userId")
    .leftJoin("users as objectUsers", "objectUsers.id", "auditEntries.objectId")
    .leftJoin("apiKeys", "apiKeys.id", "auditEntries.apiKeyId")
    .select(["auditEntries.id", "auditEntries.type", "auditEntries.at", "auditEntries.userId", "auditEntries.apiKeyId"])
    .select(["auditEntries.objectId", "auditEntries.objectName", "auditEntries.before", "auditEntries.after"])
    .select(["users.name as userName", "users.email as userEmail", "objectUsers.name as objectUserName"])
    .select("apiKeys.name as apiKeyName")
    .where("auditEntries.workspaceId", "=", workspaceId);
}

type EntryRow = Awaited<ReturnType<ReturnType<typeof entriesOf>["execute"]>>[number];

function toEntry(row: EntryRow): AuditEntry {
  const { id, type, at, userId, apiKeyId, objectId } = row;
  return {
    id,
    type,
    at,
    user: userId === null ? null : { id: userId, name: row.userName, email: row.userEmail },
    apiKey: apiKeyId === null ? null : { id: apiKeyId, name: row.apiKeyName },
    object: { id: objectId, name: row.objectName ?? row.objectUserName },
    before: recordedFields(row.before),
    after: recordedFields(row.after),
  };
}

/** The fields of an entry. Events hold instants in milliseconds. */
function recordedFields(json: string | null): Fields | null {
  if (json === null) return null;
  return JSON.parse(json, (name, value) => (name.endsWith("At") && typeof value === "number" ? isoTime(value) : value));
}
