import type { Kysely } from "kysely";
import type { NoFieldsLeft } from "../base/no-fields-left.ts";
import { notFound, Problem } from "../base/problem.ts";
import { emit, type Tx } from "../database/outbox.ts";
import type { Role, Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

import { type Actor, requireOwner } from "./actor.ts";
import { currentBlocks } from "./blocks.ts";

/**
 * Workspaces and who locks them.
 *
 * Every change of a workspace's members, invites or domains, and its deletion, first takes the workspace's row
 * (lockWorkspace), so that of two changes at the same moment the second sees the first. Hence a workspace that is not
 * deleted has an owner. Where a transaction takes several rows, the workspace's comes first.
 */

/** The most characters of a workspace's name. */
export const workspaceNameMax = 190;
/** Workspaces one user may belong to; near the bound, calls at the same moment may pass it by as many as they are. */
const workspacesMax = 1_000;

/** A workspace as seen by one of its members. `avatarFile` is null while it has none but the generated one. */
export type Membership = { id: number; name: string; role: Role; avatarFile: string | null };
/**
 * The same with the instant of its making, in milliseconds, and the days that single clicks are kept for; null means for
 * ever.
 */
export type Workspace = Membership & { createdAt: number; clickRetentionDays: number | null };

/** What can be changed of a workspace; what is left out stays. */
export type WorkspaceChanges = { name?: string | undefined; clickRetentionDays?: number | null | undefined };

type Deps = { db: Kysely<Schema>; now: () => number };

/** Makes a workspace; the caller becomes its owner. Returns its identifier, an integer. Throws "conflict" beyond workspacesMax, "forbidden" for an owner of a blocked workspace. */
export async function createWorkspace(deps: Deps, actor: Pick<Actor, "userId">, name: string): Promise<number> {
  return await transact(deps.db, async (tx) => {
    await refuseTooManyWorkspaces(tx, actor.userId);
    await refuseOwnerOfBlocked(tx, actor.userId);
    return await insertWorkspace(tx, actor.userId, name, deps.now());
  });
}

/** Throws "conflict" for a user who belongs to as many workspaces as one may. */
export async function refuseTooManyWorkspaces(tx: Tx, userId: string): Promise<void> {
  const { count } = await tx
    .selectFrom("members")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("userId", "=", userId)
    .executeTakeFirstOrThrow();
  if (count < workspacesMax) return;
  throw new Problem("conflict", `You belong to ${workspacesMax} workspaces, the most there can be; leave one.`);
}

/** In another workspace, the links of the blocked one would work again. */
async function refuseOwnerOfBlocked(tx: Tx, userId: string): Promise<void> {
  const blocks = await currentBlocks(tx);
  if (blocks.isEmpty) return;
  const owned = tx.selectFrom("members").select("workspaceId").where("userId", "=", userId).where("role", "=", "owner");
  if (!(await owned.execute()).some(({ workspaceId }) => blocks.hasWorkspace(workspaceId))) return;
  throw new Problem(
    "forbidden",
    "The operator of this service has blocked a workspace that you own, so you cannot create another one.",
  );
}

/** createWorkspace inside a transaction that does more, such as making its owner. */
export async function insertWorkspace(tx: Tx, ownerId: string, name: string, now: number): Promise<number> {
  const { id } = await tx
    .insertInto("workspaces")
    .values({ name, avatarFile: null, createdAt: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  await insertMember(tx, id, ownerId, "owner", now);
  await emit(tx, {
    workspaceId: id,
    type: "workspace.created",
    objectId: String(id),
    userId: ownerId,
    at: now,
    data: { name },
  });
  return id;
}

/** Makes a user member of a workspace, without an event: the caller records one. */
export async function insertMember(
  tx: Tx,
  workspaceId: number,
  userId: string,
  role: Role,
  now: number,
): Promise<void> {
  await tx.insertInto("members").values({ workspaceId, userId, role, createdAt: now }).execute();
}

/** The workspaces the actor's user belongs to, by id. */
export async function listWorkspaces(deps: Pick<Deps, "db">, actor: Pick<Actor, "userId">): Promise<Membership[]> {
  return await deps.db
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select(["workspaces.id", "workspaces.name", "members.role", "workspaces.avatarFile"])
    .where("members.userId", "=", actor.userId)
    .orderBy("workspaces.id")
    .execute();
}

/** The actor's workspace. Throws "not_found" when the actor does not belong to it any more. */
export async function getWorkspace(
  { db }: Pick<Deps, "db">,
  { workspaceId, userId }: Pick<Actor, "workspaceId" | "userId">,
): Promise<Workspace> {
  const row = await db
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select(["workspaces.id", "workspaces.name", "members.role", "workspaces.avatarFile"])
    .select(["workspaces.createdAt", "workspaces.clickRetentionDays"])
    .where("members.workspaceId", "=", workspaceId)
    .where("members.userId", "=", userId)
    .executeTakeFirst();
  if (row === undefined) throw notFound("workspace");
  return row;
}

/**
 * Changes the actor's workspace and returns it; what stays as it is is neither written nor recorded.
 * Throws "not_found"; "forbidden" for another retention from an actor who is no owner, since it removes clicks for good.
 */
export async function updateWorkspace(deps: Deps, actor: Actor, input: WorkspaceChanges): Promise<Workspace> {
  return await transact(deps.db, async (tx) => {
    const before = await lockAsMember(tx, actor);
    const { name = before.name, clickRetentionDays = before.clickRetentionDays, ...left } = input;
    left satisfies NoFieldsLeft;
    const changes = {
      ...(name === before.name ? {} : { name }),
      ...(clickRetentionDays === before.clickRetentionDays ? {} : { clickRetentionDays }),
    };
    if (changes.clickRetentionDays !== undefined) requireOwner({ ...actor, role: before.role });
    const changed = Object.keys(changes) as (keyof typeof changes)[];
    if (changed.length === 0) return before;
    await tx.updateTable("workspaces").set(changes).where("id", "=", before.id).execute();
    await emit(tx, {
      workspaceId: before.id,
      type: "workspace.updated",
      objectId: String(before.id),
      userId: actor.userId,
      at: deps.now(),
      data: { before: Object.fromEntries(changed.map((field) => [field, before[field]])), after: changes },
    });
    return { ...before, ...changes };
  });
}

/** Locks the actor's workspace and returns it as it then is. Throws "not_found" for one the actor has just left or lost. */
export async function lockAsMember(tx: Tx, actor: Pick<Actor, "workspaceId" | "userId">): Promise<Workspace> {
  await lockWorkspace(tx, actor.workspaceId);
  return await getWorkspace({ db: tx }, actor);
}

/** As lockAsMember, for what only owners do: also throws "forbidden". */
export async function lockAsOwner(tx: Tx, actor: Actor): Promise<Workspace> {
  const workspace = await lockAsMember(tx, actor);
  requireOwner({ ...actor, role: workspace.role });
  return workspace;
}

/**
 * Keeps others who lock the workspace waiting until the transaction ends: changes of its members, of its domains, and
 * its deletion. What is read after it stays so for the transaction.
 */
export async function lockWorkspace(tx: Tx, workspaceId: number): Promise<void> {
  // SQLite knows no "for update"; writing the value that is there takes the row on one engine, the file on the other.
  await tx
    .updateTable("workspaces")
    .set((row) => ({ createdAt: row.ref("createdAt") }))
    .where("id", "=", workspaceId)
    .execute();
}
