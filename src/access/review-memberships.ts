import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Role } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { leaveWorkspace } from "./members.ts";

/**
 * The review of a user's memberships after the first verification of the address: the person keeps or leaves each.
 * Until then all stay, since leaving can take the only owner from a workspace.
 */

/** A membership of a user; isConfirmed once the person has kept it since the address was verified. */
export type OwnMembership = { workspaceId: number; name: string; role: Role; isConfirmed: boolean };

type Deps = { db: Db; now: () => number };

/** The memberships of a user, by workspace. */
export async function listMemberships({ db }: Pick<Deps, "db">, userId: string): Promise<OwnMembership[]> {
  const rows = await db
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select(["members.workspaceId", "workspaces.name", "members.role", "members.isConfirmed"])
    .where("members.userId", "=", userId)
    .orderBy("members.workspaceId")
    .execute();
  return rows.map((row) => ({ ...row, isConfirmed: row.isConfirmed === 1 }));
}

/** True while the user has memberships to keep or leave. */
export async function hasMembershipsToReview({ db }: Pick<Deps, "db">, userId: string): Promise<boolean> {
  const open = await db
    .selectFrom("members")
    .select("workspaceId")
    .where("userId", "=", userId)
    .where("isConfirmed", "=", 0)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/**
 * Leaves the named workspaces, keeps all others, and returns the memberships left. All or nothing.
 * Throws "not_found" for a workspace the user does not belong to, "conflict" for the only owner of one.
 */
export async function reviewMemberships(
  deps: Deps,
  userId: string,
  leave: readonly number[],
): Promise<OwnMembership[]> {
  await transact(deps.db, async (tx) => {
    // In the order of their ids, so that simultaneous reviews lock the workspaces in the same order.
    for (const workspaceId of [...new Set(leave)].sort((a, b) => a - b)) {
      await leaveWorkspace(tx, { userId, workspaceId }, deps.now()).catch((error: unknown) => {
        throw error instanceof Problem && error.code === "conflict" ? onlyOwner(workspaceId, error) : error;
      });
    }
    await tx.updateTable("members").set({ isConfirmed: 1 }).where("userId", "=", userId).execute();
  });
  return await listMemberships(deps, userId);
}

function onlyOwner(workspaceId: number, cause: Problem): Problem {
  return new Problem(
    "conflict",
    `leave: you are the only owner of workspace ${workspaceId}; do not list it; make another member its owner, or delete the workspace.`,
    { cause },
  );
}
