import type { GroupRole } from "../base/oidc-options.ts";
import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import type { Role } from "../database/schema.ts";
import { lockWorkspace } from "./lock-workspace.ts";
import { addMember, removeFromWorkspace, requireAnotherOwner, setRole } from "./members.ts";
import { requireRoom } from "./workspace-limits.ts";

/**
 * Memberships that follow the groups of an identity provider.
 *
 * 1. A membership made by hand stays as it is, whatever the groups say.
 * 2. A membership made from a group gets the role of the group at each sign-in, and ends when no group gives one.
 * 3. A workspace keeps its last owner. A full workspace, or one that does not exist, is left out.
 */

/** Each role includes the ones before. */
const ranks: readonly Role[] = ["viewer", "member", "owner"];

/** The roles by workspace that the groups give; of several roles, the highest. */
export function mappedRoles(table: readonly GroupRole[], groups: readonly string[]): Map<number, Role> {
  const roles = new Map<number, Role>();
  for (const { group, workspaceId, role } of table) {
    if (!groups.includes(group)) continue;
    const known = roles.get(workspaceId);
    if (known === undefined || ranks.indexOf(role) > ranks.indexOf(known)) roles.set(workspaceId, role);
  }
  return roles;
}

/** The numbers in the table that no workspace has, ascending. */
export async function missingWorkspaces(db: Db, table: readonly GroupRole[]): Promise<number[]> {
  const named = [...new Set(table.map(({ workspaceId }) => workspaceId))].sort((a, b) => a - b);
  if (named.length === 0) return [];
  const rows = await db.selectFrom("workspaces").select("id").where("id", "in", named).execute();
  const known = new Set(rows.map(({ id }) => id));
  return named.filter((id) => !known.has(id));
}

/** Brings the user's memberships up to date with the roles, and records each change. */
export async function followGroups(tx: Tx, userId: string, roles: Map<number, Role>, at: number): Promise<void> {
  const mapped = await tx
    .selectFrom("members")
    .select("workspaceId")
    .where("userId", "=", userId)
    .where("isMapped", "=", 1)
    .execute();
  const wanted =
    roles.size === 0
      ? []
      : await tx
          .selectFrom("workspaces")
          .select("id")
          .where("id", "in", [...roles.keys()])
          .execute();
  const ids = new Set([...mapped.map(({ workspaceId }) => workspaceId), ...wanted.map(({ id }) => id)]);
  // In ascending order, so that two sign-ins never wait for each other.
  for (const workspaceId of [...ids].sort((a, b) => a - b)) {
    await lockWorkspace(tx, workspaceId);
    // A deleted workspace exists until it is erased.
    const erasure = tx.selectFrom("erasures").select("workspaceId").where("workspaceId", "=", workspaceId);
    if ((await erasure.executeTakeFirst()) !== undefined) continue;
    await followInWorkspace(tx, { workspaceId, userId, to: roles.get(workspaceId) }, at).catch(ignoreRefusal);
  }
}

type Change = { workspaceId: number; userId: string; to: Role | undefined };

async function followInWorkspace(tx: Tx, { workspaceId, userId, to }: Change, at: number): Promise<void> {
  const member = await tx
    .selectFrom("members")
    .select(["role", "isMapped"])
    .where("workspaceId", "=", workspaceId)
    .where("userId", "=", userId)
    .executeTakeFirst();
  if (member === undefined) {
    if (to === undefined) return;
    await requireRoom(tx, workspaceId, "members");
    await addMember(tx, workspaceId, { userId, role: to, byUserId: null }, at);
    await tx
      .updateTable("members")
      .set({ isMapped: 1 })
      .where("workspaceId", "=", workspaceId)
      .where("userId", "=", userId)
      .execute();
    return;
  }
  const { role, isMapped } = member;
  if (isMapped === 0 || role === to) return;
  if (role === "owner") await requireAnotherOwner(tx, workspaceId, userId);
  if (to === undefined) await removeFromWorkspace(tx, { workspaceId, userId }, { userId, role }, at);
  else await setRole(tx, { workspaceId, userId: null }, { userId, from: role, to }, at);
}

/** A limit or the last owner must not keep the person from signing in. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}
