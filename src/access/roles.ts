import type { Db } from "../database/database.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import type { Role } from "../database/schema.ts";

/** Prepared, like the next: every request runs one of them. */
const selectRole = prepared((db, value: Slot<{ workspaceId: number; userId: string }>) =>
  db
    .selectFrom("members")
    .select("role")
    .where("workspaceId", "=", value("workspaceId"))
    .where("userId", "=", value("userId")),
);
const selectFirst = prepared((db, value: Slot<{ userId: string }>) =>
  db
    .selectFrom("members")
    .select(["workspaceId", "role"])
    .where("userId", "=", value("userId"))
    .orderBy("createdAt")
    .orderBy("workspaceId")
    .limit(1),
);

/** The role of a user in a workspace; undefined without membership. */
export async function roleIn(db: Db, member: { workspaceId: number; userId: string }): Promise<Role | undefined> {
  const [row] = await selectRole(db, member);
  return row?.role;
}

/** The workspace the user has belonged to for longest, and the role there; undefined without any. */
export async function firstMembership(
  db: Db,
  userId: string,
): Promise<{ workspaceId: number; role: Role } | undefined> {
  const [row] = await selectFirst(db, { userId });
  return row;
}
