import { notFound, Problem } from "../base/problem.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import type { Role } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { type Actor, requireOwner, requireUnlimitedKey } from "./actor.ts";
import { membershipIn } from "./roles.ts";
import { requireRoomForNewOwner } from "./workspace-limits.ts";
import { insertMember, lockAsMember, lockAsOwner, refuseTooManyWorkspaces } from "./workspaces.ts";

/** The most members of a workspace. */
const membersMax = 1_000;

/** A member of a workspace. The instant is in milliseconds. */
export type Member = {
  userId: string;
  name: string;
  email: string | null;
  role: Role;
  avatarFile: string | null;
  createdAt: number;
};

type Deps = { db: Db; now: () => number };

/** The members of the actor's workspace, in the order in which they joined; at most membersMax. */
export async function listMembers({ db }: Pick<Deps, "db">, actor: Pick<Actor, "workspaceId">): Promise<Member[]> {
  return await membersOf(db, actor.workspaceId).orderBy("members.createdAt").orderBy("members.userId").execute();
}

/**
 * Changes a member's role. Open invites of a former owner end with the right to create them.
 * Throws "forbidden" unless the actor is an owner, and for a new owner unless the key is unlimited; "not_found" for a
 * user who is not a member; "conflict" when no owner would be left, and for a new owner who owns as many workspaces as
 * the instance allows.
 */
export async function changeRole(
  deps: Deps,
  actor: Actor,
  { userId, role }: { userId: string; role: Role },
): Promise<Member> {
  if (role === "owner") requireUnlimitedKey(actor);
  return await transact(deps.db, async (tx) => {
    const { id: workspaceId } = await lockAsOwner(tx, actor);
    const before = await findMember(tx, workspaceId, userId);
    if (role === before.role) return before;
    if (before.role === "owner") await requireAnotherOwner(tx, workspaceId, userId);
    if (role === "owner") await requireRoomForNewOwner(tx, userId);
    await setRole(tx, actor, { userId, from: before.role, to: role }, deps.now());
    return { ...before, role };
  });
}

/** The workspace of a change, and who makes it; `userId` is null for Waypost itself. */
type Initiator = { workspaceId: number; userId: string | null; apiKeyId?: string | undefined };

/**
 * Gives a member another role and records it, inside the transaction that has locked the workspace. Open invites of a
 * former owner end.
 */
export async function setRole(
  tx: Tx,
  by: Initiator,
  { userId, from, to }: { userId: string; from: Role; to: Role },
  at: number,
): Promise<void> {
  await tx
    .updateTable("members")
    .set({ role: to })
    .where("workspaceId", "=", by.workspaceId)
    .where("userId", "=", userId)
    .execute();
  if (from === "owner") await revokeInvitesOf(tx, by, userId, at);
  await emit(tx, eventBy(by, "member.updated", userId, at, { before: { role: from }, after: { role: to } }));
}

/**
 * Removes a user from the actor's workspace, and ends that user's keys and open invites there. Members may remove only
 * themselves.
 * Throws "forbidden" for another user unless the actor is an owner, "not_found" for a user who is not a member,
 * "conflict" when no owner would be left.
 */
export async function removeMember(deps: Deps, actor: Actor, userId: string): Promise<{ userId: string }> {
  return await transact(deps.db, async (tx) => {
    const workspace = await lockAsMember(tx, actor);
    if (userId !== actor.userId) requireOwner({ ...actor, role: workspace.role });
    const member = await findMember(tx, workspace.id, userId);
    if (member.role === "owner") await requireAnotherOwner(tx, workspace.id, userId);
    await removeFromWorkspace(tx, actor, member, deps.now());
    return { userId };
  });
}

/**
 * Removes a user from a workspace at their own wish, inside a larger transaction.
 * Throws "not_found" for a workspace that they do not belong to, "conflict" when no owner would be left.
 */
export async function leaveWorkspace(
  tx: Tx,
  membership: { userId: string; workspaceId: number },
  at: number,
): Promise<void> {
  const { userId, workspaceId } = membership;
  await lockAsMember(tx, membership);
  const member = await findMember(tx, workspaceId, userId);
  if (member.role === "owner") await requireAnotherOwner(tx, workspaceId, userId);
  await removeFromWorkspace(tx, membership, member, at);
}

/** Removes a user who is being deleted from all workspaces, inside the transaction that has locked them. */
export async function removeFromEveryWorkspace(tx: Tx, userId: string, at: number): Promise<void> {
  const memberships = await tx
    .selectFrom("members")
    .select(["workspaceId", "role"])
    .where("userId", "=", userId)
    .orderBy("workspaceId")
    .execute();
  for (const { workspaceId, role } of memberships) {
    await removeFromWorkspace(tx, { workspaceId, userId }, { userId, role }, at);
  }
}

/**
 * Removes a member, ends their keys and invites there, and records it, inside the transaction that has locked the
 * workspace.
 */
export async function removeFromWorkspace(
  tx: Tx,
  by: Initiator,
  { userId, role }: Pick<Member, "userId" | "role">,
  at: number,
): Promise<void> {
  const { workspaceId } = by;
  await tx.deleteFrom("members").where("workspaceId", "=", workspaceId).where("userId", "=", userId).execute();
  await revokeKeysOf(tx, by, userId, at);
  await revokeInvitesOf(tx, by, userId, at);
  // Nobody else can see private views. Shared ones stay.
  await tx
    .deleteFrom("savedViews")
    .where("workspaceId", "=", workspaceId)
    .where("isShared", "=", 0)
    .where("userId", "=", userId)
    .execute();
  await emit(tx, eventBy(by, "member.removed", userId, at, { role }));
}

/**
 * Adds a user to a workspace and records it. `byUserId` is the user who invited or added them; null without one.
 * The caller has locked the workspace. Throws "conflict" for a member, and beyond membersMax and workspacesMax.
 */
export async function addMember(
  tx: Tx,
  workspaceId: number,
  member: { userId: string; role: Role; byUserId: string | null },
  at: number,
): Promise<void> {
  const { userId, role } = member;
  await refuseMember(tx, { workspaceId, userId });
  if ((await countRows(tx.selectFrom("members").where("workspaceId", "=", workspaceId))) >= membersMax) {
    throw new Problem("conflict", `This workspace has ${membersMax} members, which is the limit; remove one first.`);
  }
  await refuseTooManyWorkspaces(tx, userId);
  await insertMember(tx, workspaceId, userId, role, at);
  await emit(tx, eventBy({ workspaceId, userId: member.byUserId }, "member.added", userId, at, { role }));
}

/** Throws "conflict" when the user is a member of the workspace. */
export async function refuseMember(tx: Tx, member: { workspaceId: number; userId: string }): Promise<void> {
  if ((await membershipIn(tx, member)) === undefined) return;
  throw new Problem("conflict", "You are already a member of this workspace.");
}

function membersOf(db: Db, workspaceId: number) {
  return db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .leftJoin("userAvatars", "userAvatars.userId", "members.userId")
    .select(["members.userId", "users.name", "users.email", "members.role", "members.createdAt"])
    .select("userAvatars.file as avatarFile")
    .where("members.workspaceId", "=", workspaceId);
}

async function findMember(tx: Tx, workspaceId: number, userId: string): Promise<Member> {
  const member = await membersOf(tx, workspaceId).where("members.userId", "=", userId).executeTakeFirst();
  if (member === undefined) throw notFound("member");
  return member;
}

/** Throws "conflict" when the workspace has no other owner. A disabled owner does not count, because they cannot act. */
export async function requireAnotherOwner(tx: Tx, workspaceId: number, userId: string): Promise<void> {
  const another = await tx
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select("members.userId")
    .where("members.workspaceId", "=", workspaceId)
    .where("members.role", "=", "owner")
    .where("members.userId", "<>", userId)
    .where("users.disabledAt", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (another !== undefined) return;
  throw new Problem(
    "conflict",
    "A workspace has at least one owner; make another member owner first, or delete the workspace.",
  );
}

async function revokeKeysOf(tx: Tx, by: Initiator, userId: string, at: number): Promise<void> {
  const keys = await tx
    .deleteFrom("apiKeys")
    .where("userId", "=", userId)
    .where("workspaceId", "=", by.workspaceId)
    .returning(["id", "name", "prefix"])
    .execute();
  await emit(tx, ...keys.map(({ id, ...data }) => eventBy(by, "apiKey.revoked", id, at, data)));
}

/** Ends the invites that a removed member or former owner has created: with one, they could come back. */
async function revokeInvitesOf(tx: Tx, by: Initiator, userId: string, at: number): Promise<void> {
  const invites = await tx
    .deleteFrom("invites")
    .where("userId", "=", userId)
    .where("workspaceId", "=", by.workspaceId)
    .returning(["id", "email", "role"])
    .execute();
  await emit(tx, ...invites.map(({ id, ...data }) => eventBy(by, "invite.revoked", id, at, data)));
}
