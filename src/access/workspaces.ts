import type { PatchOf } from "../base/apply-patch.ts";
import type { NoFieldsLeft } from "../base/no-fields-left.ts";
import { notFound, Problem } from "../base/problem.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import type { Role } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import type { SavedQrStyle } from "../qr-codes/qr-style.ts";
import { type Actor, requireOwner } from "./actor.ts";
import { currentBlocks } from "./blocks.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { lockWorkspace } from "./lock-workspace.ts";
import { needsOneTimeCode } from "./needs-one-time-code.ts";
import { defaultRetentionDays, refuseLongRetention, requireRoomToOwn } from "./workspace-limits.ts";

/**
 * Workspaces, and their locks.
 *
 * Every change of a workspace's members, invites or domains, and its deletion, first locks the workspace's row
 * (lockWorkspace), so that the second of two simultaneous changes sees the first. So every workspace has an owner
 * until it is deleted. A transaction that locks several rows locks the workspace's first.
 */

/** Characters of a workspace's name. */
export const workspaceNameMax = 190;
/** Workspaces that one user may belong to. Simultaneous requests can exceed this limit. */
const workspacesMax = 1_000;

/** A workspace as one of its members sees it. `avatarFile` is null while the generated avatar is shown. */
export type Membership = { id: number; name: string; role: Role; avatarFile: string | null };
/**
 * A workspace with its creation in milliseconds, the days that individual clicks are kept (null means forever), and the
 * style with which its QR codes start (null until a member saves one).
 */
export type Workspace = Membership & {
  createdAt: number;
  clickRetentionDays: number | null;
  qrStyle: SavedQrStyle | null;
  /** True while sessions of members need a second factor, and users of API keys must have one. */
  requiresSecondFactor: boolean;
};

/** Changes of a workspace; an absent field stays. */
export type WorkspaceChanges = PatchOf<
  Pick<Workspace, "name" | "clickRetentionDays" | "qrStyle" | "requiresSecondFactor">
>;

type Deps = { db: Db; now: () => number };

/**
 * Creates a workspace; the caller becomes its owner. Returns its id, an integer. Throws "conflict" beyond
 * workspacesMax and the instance's limit, "forbidden" for an owner of a blocked workspace.
 */
export async function createWorkspace(deps: Deps, actor: Pick<Actor, "userId">, name: string): Promise<number> {
  return await transact(deps.db, async (tx) => {
    await refuseTooManyWorkspaces(tx, actor.userId);
    await requireRoomToOwn(tx, actor.userId);
    await refuseOwnerOfBlocked(tx, actor.userId);
    return await insertWorkspace(tx, actor.userId, name, deps.now());
  });
}

/** Throws "conflict" for a user at workspacesMax. */
export async function refuseTooManyWorkspaces(tx: Tx, userId: string): Promise<void> {
  const count = await countRows(tx.selectFrom("members").where("userId", "=", userId));
  if (count < workspacesMax) return;
  throw new Problem("conflict", `You belong to ${workspacesMax} workspaces, which is the limit; leave one first.`);
}

/** Throws "forbidden" for an owner of a blocked workspace: its links would work again in another one. */
export async function refuseOwnerOfBlocked(tx: Tx, userId: string): Promise<void> {
  const blocks = await currentBlocks(tx);
  if (blocks.isEmpty) return;
  const owned = tx.selectFrom("members").select("workspaceId").where("userId", "=", userId).where("role", "=", "owner");
  if (!(await owned.execute()).some(({ workspaceId }) => blocks.hasWorkspace(workspaceId))) return;
  throw new Problem(
    "forbidden",
    "The operator of this service has blocked a workspace that you own, so you cannot create another one.",
  );
}

/** Like createWorkspace, inside a larger transaction, for instance one that creates its owner. Throws "forbidden". */
export async function insertWorkspace(tx: Tx, ownerId: string, name: string, now: number): Promise<number> {
  await lockEnabledUser(tx, ownerId);
  const { id } = await tx
    .insertInto("workspaces")
    .values({ name, avatarFile: null, clickRetentionDays: await defaultRetentionDays(tx), createdAt: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  await insertMember(tx, id, ownerId, "owner", now);
  await emit(tx, eventBy({ workspaceId: id, userId: ownerId }, "workspace.created", String(id), now, { name }));
  return id;
}

/** Adds a user to a workspace, without an event: the caller records one. */
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

/** The actor's workspace. Throws "not_found" when the actor has left it. */
export async function getWorkspace(
  { db }: Pick<Deps, "db">,
  { workspaceId, userId }: Pick<Actor, "workspaceId" | "userId">,
): Promise<Workspace> {
  const row = await db
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select(["workspaces.id", "workspaces.name", "members.role", "workspaces.avatarFile"])
    .select(["workspaces.createdAt", "workspaces.clickRetentionDays", "workspaces.qrStyle"])
    .select("workspaces.requiresSecondFactor")
    .where("members.workspaceId", "=", workspaceId)
    .where("members.userId", "=", userId)
    .executeTakeFirst();
  if (row === undefined) throw notFound("workspace");
  return {
    ...row,
    qrStyle: row.qrStyle === null ? null : JSON.parse(row.qrStyle),
    requiresSecondFactor: row.requiresSecondFactor === 1,
  };
}

/**
 * Changes the actor's workspace and returns it; unchanged fields are neither written nor recorded.
 * Throws "not_found"; "forbidden" for another retention unless the actor is an owner, since it removes clicks
 * permanently; "unprocessable_entity" for one beyond the limit.
 */
export async function updateWorkspace(deps: Deps, actor: Actor, input: WorkspaceChanges): Promise<Workspace> {
  return await transact(deps.db, async (tx) => {
    const before = await lockAsMember(tx, actor);
    const {
      name = before.name,
      clickRetentionDays = before.clickRetentionDays,
      qrStyle = before.qrStyle,
      requiresSecondFactor = before.requiresSecondFactor,
      ...left
    } = input;
    left satisfies NoFieldsLeft;
    const changes = {
      ...(name === before.name ? {} : { name }),
      ...(clickRetentionDays === before.clickRetentionDays ? {} : { clickRetentionDays }),
      ...(textOf(qrStyle) === textOf(before.qrStyle) ? {} : { qrStyle }),
      ...(requiresSecondFactor === before.requiresSecondFactor ? {} : { requiresSecondFactor }),
    };
    if (changes.requiresSecondFactor !== undefined) await requireMaySetFactor(tx, actor, before, requiresSecondFactor);
    if (changes.clickRetentionDays !== undefined) {
      requireOwner({ ...actor, role: before.role });
      await refuseLongRetention(tx, before.id, clickRetentionDays);
    }
    const changed = Object.keys(changes) as (keyof typeof changes)[];
    if (changed.length === 0) return before;
    const { qrStyle: changedStyle, requiresSecondFactor: changedFactor, ...columns } = changes;
    await tx
      .updateTable("workspaces")
      .set({
        ...columns,
        ...(changedStyle === undefined ? {} : { qrStyle: textOf(changedStyle) }),
        ...(changedFactor === undefined ? {} : { requiresSecondFactor: changedFactor ? 1 : 0 }),
      })
      .where("id", "=", before.id)
      .execute();
    await emit(
      tx,
      eventBy({ ...actor, workspaceId: before.id }, "workspace.updated", String(before.id), deps.now(), {
        before: Object.fromEntries(changed.map((field) => [field, before[field]])),
        after: changes,
      }),
    );
    return { ...before, ...changes };
  });
}

/** Owners need a second factor themselves before they require one; otherwise this change would lock them out. */
async function requireMaySetFactor(
  tx: Tx,
  actor: Actor,
  before: Workspace,
  requiresSecondFactor: boolean,
): Promise<void> {
  requireOwner({ ...actor, role: before.role });
  if (!requiresSecondFactor && before.requiresSecondFactor && actor.sessionId === undefined) {
    throw new Problem(
      "forbidden",
      "An API key cannot end the requirement of a second factor; sign in to the dashboard.",
    );
  }
  if (!requiresSecondFactor || actor.hasSecondFactor === true) return;
  if (actor.sessionId === undefined && (await needsOneTimeCode({ db: tx }, actor.userId))) return;
  throw new Problem("conflict", "Set up one-time codes or a passkey in your own account first, and sign in with it.");
}

/** A style as it is stored. */
function textOf(qrStyle: SavedQrStyle | null): string | null {
  return qrStyle === null ? null : JSON.stringify(qrStyle);
}

/**
 * Locks the actor's workspace and returns its current state. Throws "not_found" when the actor has just left it or lost
 * it.
 */
export async function lockAsMember(tx: Tx, actor: Pick<Actor, "workspaceId" | "userId">): Promise<Workspace> {
  await lockWorkspace(tx, actor.workspaceId);
  return await getWorkspace({ db: tx }, actor);
}

/** Like lockAsMember, for owners: also throws "forbidden". */
export async function lockAsOwner(tx: Tx, actor: Actor): Promise<Workspace> {
  const workspace = await lockAsMember(tx, actor);
  requireOwner({ ...actor, role: workspace.role });
  return workspace;
}
