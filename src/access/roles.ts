import type { Db } from "../database/database.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import type { Role } from "../database/schema.ts";

/** What a user may do in a workspace, and whether their sessions there need a second factor. */
type Membership = { role: Role; requiresSecondFactor: number };

/** Prepared, like the next: every request runs one of them. SQLite would plan a join again at each run. */
const selectMembership = prepared((db, value: Slot<{ workspaceId: number; userId: string }>) =>
  db
    .selectFrom("members")
    .select("members.role")
    .select(({ selectFrom }) =>
      selectFrom("workspaces")
        .select("workspaces.requiresSecondFactor")
        .whereRef("workspaces.id", "=", "members.workspaceId")
        .$asScalar()
        .$notNull()
        .as("requiresSecondFactor"),
    )
    .where("members.workspaceId", "=", value("workspaceId"))
    .where("members.userId", "=", value("userId")),
);
const selectFirst = prepared((db, value: Slot<{ userId: string }>) =>
  db
    .selectFrom("members")
    .innerJoin("workspaces", "workspaces.id", "members.workspaceId")
    .select(["members.workspaceId", "members.role", "workspaces.requiresSecondFactor"])
    .where("members.userId", "=", value("userId"))
    .orderBy("members.createdAt")
    .orderBy("members.workspaceId")
    .limit(1),
);

/** The membership of a user in a workspace; undefined without one. */
export async function membershipIn(
  db: Db,
  member: { workspaceId: number; userId: string },
): Promise<Membership | undefined> {
  const [row] = await selectMembership(db, member);
  return row;
}

/** The membership in the workspace the user has belonged to for longest; undefined without any. */
export async function firstMembership(
  db: Db,
  userId: string,
): Promise<(Membership & { workspaceId: number }) | undefined> {
  const [row] = await selectFirst(db, { userId });
  return row;
}
