import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { refusePastExpiry } from "../access/api-keys.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { passwordHashOf } from "../access/password-hash.ts";
import { applyPatch, type PatchOf } from "../base/apply-patch.ts";
import { newId, randomBase62 } from "../base/ids.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy } from "../database/outbox.ts";
import type { SharesTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { rootKey } from "../domains/domain.ts";
import { findLink } from "../links/find-links.ts";
import { findFolder } from "../links/folders.ts";

/**
 * Shares: the analytics of one link or folder, at a secret URL that needs no sign-in.
 *
 * 1. The token in the URL cannot be guessed. It is stored in clear text, because members can see the URL again; events
 *    never contain it.
 * 2. A share is deleted with its link, folder or workspace, and opens nothing once it is deleted or expired.
 */

export const shareNameCharactersMax = 190;
export const sharePasswordCharactersMax = 1_000;
/** The most shares of one workspace. */
export const sharesPerWorkspaceMax = 1_000;
/** About 238 bits. */
const tokenLength = 40;

/** A share; instants are milliseconds since the epoch. */
export type Share = Omit<Selectable<SharesTable>, "workspaceId" | "passwordHash"> & { hasPassword: boolean };

/** The settings of a new share; exactly one of linkId and folderId is set. */
type NewShare = {
  linkId: string | undefined;
  folderId: string | undefined;
  name: string | null;
  password: string | null;
  expiresAt: number | null;
};

/** Changes of a share; undefined keeps a value, null removes it. */
type ShareChanges = PatchOf<Omit<NewShare, "linkId" | "folderId">>;

/** The shares to list; undefined matches all. */
type ShareFilter = { linkId?: string | undefined; folderId?: string | undefined };

type Deps = { db: Db; now: Clock };
/** With the signal of a request whose client may disconnect before a password is hashed. */
type HashingDeps = Deps & { signal?: AbortSignal };

/**
 * Creates a share. Throws "not_found" for an unknown link or folder, "unprocessable_entity" for both or neither of them
 * and for a past expiry, "conflict" beyond sharesPerWorkspaceMax.
 */
export async function createShare(deps: HashingDeps, actor: Actor, input: NewShare): Promise<Share> {
  const { linkId, folderId, name, password, expiresAt } = input;
  if (linkId === undefined && folderId === undefined) throw invalid("linkId", "is required, unless folderId is given.");
  if (linkId !== undefined && folderId !== undefined) throw invalid("folderId", "cannot be combined with linkId.");
  refusePastExpiry(expiresAt, deps.now());
  const { workspaceId } = actor;
  const { about, subject } = await subjectOf(deps.db, actor, { linkId: linkId ?? null, folderId: folderId ?? null });
  const passwordHash = password === null ? null : await passwordHashOf(password, { workspaceId, signal: deps.signal });
  return await transact(deps.db, async (tx) => {
    await lockWorkspace(tx, workspaceId); // So that no two at the same moment step over the bound.
    await requireCapacity(tx, workspaceId);
    const at = deps.now();
    const row = {
      ...{ id: newId("share", at), workspaceId, token: randomBase62(tokenLength), name, ...about, passwordHash },
      ...{ expiresAt, createdAt: at, updatedAt: at },
    };
    await tx.insertInto("shares").values(row).execute();
    const share = toShare(row);
    const after = { ...about, ...subject, ...settingsOf(share) };
    await emit(tx, eventBy(actor, "share.created", row.id, at, { name: nameOf(share, subject), after }));
    return share;
  });
}

/** What a share shows, as the audit log names it. */
type Subject = { shortLink: string } | { folder: string };

/** Finds the link or folder of a share: its ids, and its name. Throws "not_found". */
async function subjectOf(
  db: Db,
  actor: Actor,
  { linkId, folderId }: Pick<Share, "linkId" | "folderId">,
): Promise<{ about: Pick<Share, "linkId" | "folderId">; subject: Subject }> {
  if (linkId !== null) {
    const { id, domain, key } = await findLink({ db }, actor, linkId);
    return {
      about: { linkId: id, folderId: null },
      subject: { shortLink: key === rootKey ? domain : `${domain}/${key}` },
    };
  }
  const { id, name } = await findFolder({ db }, actor, folderId ?? "");
  return { about: { linkId: null, folderId: id }, subject: { folder: name } };
}

/** The name of a share in the audit log: its own, or else the link's or folder's. */
function nameOf({ name }: Pick<Share, "name">, subject: Subject): string {
  if (name !== null) return name;
  return "shortLink" in subject ? subject.shortLink : subject.folder;
}

async function requireCapacity(db: Db, workspaceId: number): Promise<void> {
  const count = await countRows(db.selectFrom("shares").where("workspaceId", "=", workspaceId));
  if (count < sharesPerWorkspaceMax) return;
  throw new Problem(
    "conflict",
    `This workspace has ${sharesPerWorkspaceMax} shares, which is the limit; delete one first.`,
  );
}

/** The matching shares of the actor's workspace, latest first, expired ones included. */
export async function listShares(
  { db }: Pick<Deps, "db">,
  actor: Actor,
  { linkId, folderId }: ShareFilter,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<Share[]> {
  let query = sharesOf(db, actor);
  if (linkId !== undefined) query = query.where("linkId", "=", linkId);
  if (folderId !== undefined) query = query.where("folderId", "=", folderId);
  const rows = await query
    .orderBy("id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return rows.map(toShare);
}

/** The actor's share with this id. Throws "not_found". */
export async function findShare({ db }: Pick<Deps, "db">, actor: Actor, id: string): Promise<Share> {
  return toShare(await findRow(db, actor, id));
}

/**
 * Changes a share and returns it. After a new password, a visitor must enter it again. Throws "not_found";
 * "unprocessable_entity" for a past expiry.
 */
export async function updateShare(deps: HashingDeps, actor: Actor, id: string, input: ShareChanges): Promise<Share> {
  const { password, ...columns } = input;
  if (columns.expiresAt !== undefined) refusePastExpiry(columns.expiresAt, deps.now());
  const hashing = { workspaceId: actor.workspaceId, signal: deps.signal };
  const passwordHash = typeof password === "string" ? await passwordHashOf(password, hashing) : password;
  return await transact(deps.db, async (tx) => {
    await lockWorkspace(tx, actor.workspaceId);
    const before = await findRow(tx, actor, id);
    const changed = applyPatch(before, { ...columns, passwordHash });
    if (JSON.stringify(changed) === JSON.stringify(before)) return toShare(before);
    const at = deps.now();
    const after = { ...changed, updatedAt: at };
    await tx.updateTable("shares").set(after).where("id", "=", id).execute();
    const { subject } = await subjectOf(tx, actor, before);
    const name = nameOf(after, subject);
    const data = { name, before: settingsOf(toShare(before)), after: settingsOf(toShare(after)) };
    await emit(tx, eventBy(actor, "share.updated", id, at, data));
    return toShare(after);
  });
}

/** Deletes a share at once. Throws "not_found". */
export async function deleteShare({ db, now }: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  return await transact(db, async (tx) => {
    await lockWorkspace(tx, actor.workspaceId);
    const row = await findRow(tx, actor, id);
    const { subject } = await subjectOf(tx, actor, row);
    await tx.deleteFrom("shares").where("id", "=", id).execute();
    const before = { ...subject, ...settingsOf(toShare(row)) };
    await emit(tx, eventBy(actor, "share.deleted", id, now(), { name: nameOf(row, subject), before }));
    return { id };
  });
}

async function findRow(db: Db, actor: Actor, id: string): Promise<Selectable<SharesTable>> {
  const row = await sharesOf(db, actor).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("share");
  return row;
}

function sharesOf(db: Db, { workspaceId }: Actor) {
  return db.selectFrom("shares").selectAll().where("workspaceId", "=", workspaceId);
}

function toShare({ workspaceId: _, passwordHash, ...share }: Selectable<SharesTable>): Share {
  return { ...share, hasPassword: passwordHash !== null };
}

function settingsOf({ name, hasPassword, expiresAt }: Share) {
  return { name, hasPassword, expiresAt };
}
