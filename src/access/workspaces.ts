import type { Kysely } from "kysely";
import { emit, type Tx } from "../database/outbox.ts";
import type { Role, Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import type { Actor } from "./actor.ts";

/** The most characters of a workspace's name. */
export const workspaceNameMax = 190;

/** A workspace as seen by one of its members. */
export type Membership = { id: number; name: string; role: Role; avatarUrl: string | null };

type Deps = { db: Kysely<Schema>; now: () => number };

/** Makes a workspace; the caller becomes its owner. Returns its identifier, an integer. */
export async function createWorkspace(deps: Deps, actor: Pick<Actor, "userId">, name: string): Promise<number> {
  return await transact(deps.db, (tx) => insertWorkspace(tx, actor.userId, name, deps.now()));
}

/** createWorkspace inside a transaction that does more, such as making its owner. */
export async function insertWorkspace(tx: Tx, ownerId: string, name: string, now: number): Promise<number> {
  const { id } = await tx
    .insertInto("workspaces")
    .values({ name, avatarUrl: null, createdAt: now })
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

/** Makes a user member of a workspace. */
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
    .select(["workspaces.id", "workspaces.name", "members.role", "workspaces.avatarUrl"])
    .where("members.userId", "=", actor.userId)
    .orderBy("workspaces.id")
    .execute();
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
