import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { lockUser } from "./lock-user.ts";
import { lockWorkspace } from "./lock-workspace.ts";
import { removeFromEveryWorkspace } from "./members.ts";
import { revokeAccess } from "./revoke-access.ts";

/** A workspace that would have no owner without the user. */
export type OnlyOwned = { id: number; name: string };

/** The result of a deletion: the user is gone, or unchanged because they are the only owner of these workspaces. */
export type UserDeletion = { kind: "deleted" } | { kind: "onlyOwner"; workspaces: OnlyOwned[] };

/**
 * Erases a user, unless a workspace would lose its only owner.
 * Guarantee: on return, no name, address, password, passkey, avatar, session, key, invite, membership, subscription or private
 * view of the user is stored, except in the audit logs and recorded changes of workspaces (docs/personal-data.md). A row
 * without personal data stays: links and history refer to its id, and a workspace may have a million links, so clearing the
 * reference would stop the service for seconds.
 */
export async function deleteUser(tx: Tx, userId: string, at: number): Promise<UserDeletion> {
  // After this, the user can get no further workspace or key.
  await lockUser(tx, userId);
  const memberships = tx.selectFrom("members").select("workspaceId").where("userId", "=", userId);
  // In ascending order, so that two deletions never wait for each other.
  for (const { workspaceId } of await memberships.orderBy("workspaceId").execute())
    await lockWorkspace(tx, workspaceId);
  const workspaces = await onlyOwnedWorkspaces(tx, userId);
  if (workspaces.length > 0) return { kind: "onlyOwner", workspaces };
  await removeFromEveryWorkspace(tx, userId, at);
  await revokeAccess(tx, userId, at);
  await tx.deleteFrom("passkeys").where("userId", "=", userId).execute();
  await tx.deleteFrom("oneTimeCodes").where("userId", "=", userId).execute();
  await tx.deleteFrom("identities").where("userId", "=", userId).execute();
  await tx.deleteFrom("recoveryCodes").where("userId", "=", userId).execute();
  await tx.deleteFrom("userAvatars").where("userId", "=", userId).execute();
  await tx.deleteFrom("savedViews").where("userId", "=", userId).where("isShared", "=", 0).execute();
  await tx
    .updateTable("users")
    .set({ email: null, name: "", passwordHash: null, verifiedAt: null, isAdministrator: 0, language: null })
    .set((row) => ({ disabledAt: row.fn.coalesce("disabledAt", row.val(at)), deletedAt: at }))
    .where("id", "=", userId)
    .execute();
  return { kind: "deleted" };
}

/** The workspaces whose only enabled owner is the user, by id. */
export async function onlyOwnedWorkspaces(db: Db, userId: string): Promise<OnlyOwned[]> {
  return await db
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select(["workspaces.id", "workspaces.name"])
    .where("members.userId", "=", userId)
    .where("members.role", "=", "owner")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("members as others")
            .innerJoin("users", "users.id", "others.userId")
            .select("others.userId")
            .whereRef("others.workspaceId", "=", "members.workspaceId")
            .where("others.role", "=", "owner")
            .where("others.userId", "<>", userId)
            .where("users.disabledAt", "is", null),
        ),
      ),
    )
    .orderBy("workspaces.id")
    .execute();
}
