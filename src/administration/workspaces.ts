import { sql } from "kysely";
import { currentBlocks } from "../access/blocks.ts";
import { removeWorkspace } from "../access/delete-workspace.ts";
import { lockEnabledUser } from "../access/disabled-user.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { addMember, setRole } from "../access/members.ts";
import { invalid, Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { type Operator, type OperatorDeps, recordOperation } from "./operator.ts";
import { containing, type PageRequest } from "./page.ts";
import { findPerson, requireVerified } from "./people.ts";

/** Owners that a list names for each workspace. */
const ownersShownMax = 3;

/** A workspace as operators see it, without its links and analytics. */
export type WorkspaceSummary = {
  id: number;
  name: string;
  /** The e-mail addresses, or else names, of ownersShownMax owners at most. */
  owners: string[];
  members: number;
  domains: number;
  isBlocked: boolean;
  createdAt: string;
};

/** Lists workspaces, oldest first; `search` is part of the name, `after` an id. */
export async function listAllWorkspaces(
  db: Db,
  { search, after, limit }: PageRequest<number>,
): Promise<WorkspaceSummary[]> {
  let query = db
    .selectFrom("workspaces")
    .select(["workspaces.id", "workspaces.name", "workspaces.createdAt"])
    .select(({ selectFrom, fn }) => [
      selectFrom("members")
        .select(fn.countAll<number>().as("count"))
        .whereRef("members.workspaceId", "=", "workspaces.id")
        .as("members"),
      selectFrom("domains")
        .select(fn.countAll<number>().as("count"))
        .whereRef("domains.workspaceId", "=", "workspaces.id")
        .whereRef("domains.slug", "<>", "domains.id")
        .as("domains"),
    ])
    .where("workspaces.id", "not in", (erased) => erased.selectFrom("erasures").select("workspaceId"))
    .orderBy("workspaces.id")
    .limit(limit);
  if (after !== undefined) query = query.where("workspaces.id", ">", after);
  if (search !== undefined) {
    query = query.where(sql<boolean>`lower("workspaces"."name") like ${containing(search)} escape '\\'`);
  }
  const rows = await query.execute();
  const blocks = await currentBlocks(db);
  const owners = await ownersOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    owners: owners.get(row.id) ?? [],
    members: row.members ?? 0,
    domains: row.domains ?? 0,
    isBlocked: blocks.hasWorkspace(row.id),
    createdAt: isoTime(row.createdAt),
  }));
}

async function ownersOf(db: Db, workspaceIds: number[]): Promise<Map<number, string[]>> {
  const owners = new Map<number, string[]>();
  for (const id of workspaceIds) {
    const rows = await db
      .selectFrom("members")
      .innerJoin("users", "users.id", "members.userId")
      .select(["users.email", "users.name"])
      .where("members.workspaceId", "=", id)
      .where("members.role", "=", "owner")
      .orderBy("members.createdAt")
      .limit(ownersShownMax)
      .execute();
    owners.set(
      id,
      rows.map(({ email, name }) => email ?? name),
    );
  }
  return owners;
}

/**
 * Makes a person the owner of a workspace; former owners become members. The person joins if necessary.
 * Throws "not_found", "forbidden" for a disabled account, "conflict" when the person is the only owner already.
 */
export async function transferWorkspace(
  deps: OperatorDeps,
  operator: Operator,
  { workspaceId, to }: { workspaceId: number; to: string },
): Promise<{ id: number; owner: string }> {
  const { id: userId, email, name, emailVerified } = await findPerson(deps.db, to);
  requireVerified(to, { email, emailVerified });
  await transact(deps.db, async (tx) => {
    await requireWorkspace(tx, workspaceId);
    await lockEnabledUser(tx, userId);
    const members = await tx
      .selectFrom("members")
      .select(["userId", "role"])
      .where("workspaceId", "=", workspaceId)
      .where((where) => where.or([where("role", "=", "owner"), where("userId", "=", userId)]))
      .execute();
    const known = members.find((member) => member.userId === userId);
    const formerOwners = members.filter((member) => member.role === "owner" && member.userId !== userId);
    if (known?.role === "owner" && formerOwners.length === 0) {
      throw new Problem("conflict", `${to} is already the only owner of workspace ${workspaceId}.`);
    }
    const by = { workspaceId, userId: operator?.userId ?? null };
    const at = deps.now();
    if (known === undefined) await addMember(tx, workspaceId, { userId, role: "owner", byUserId: by.userId }, at);
    else if (known.role !== "owner") await setRole(tx, by, { userId, from: known.role, to: "owner" }, at);
    for (const owner of formerOwners) {
      await setRole(tx, by, { userId: owner.userId, from: owner.role, to: "member" }, at);
    }
  });
  recordOperation(deps, operator, "workspace transfer", { workspace: workspaceId, to: userId });
  return { id: workspaceId, owner: email ?? name };
}

/**
 * Deletes a workspace, as deleteWorkspace does, confirmed by its name.
 * Throws "not_found", "unprocessable_entity" for another name, "conflict" as deleteWorkspace does.
 */
export async function deleteAnyWorkspace(
  deps: OperatorDeps,
  operator: Operator,
  { workspaceId, confirm }: { workspaceId: number; confirm: string },
): Promise<{ id: number }> {
  await transact(deps.db, async (tx) => {
    const name = await requireWorkspace(tx, workspaceId);
    if (confirm.trim() !== name) {
      throw invalid("confirm", "must be the workspace's name, exactly as written.");
    }
    await removeWorkspace(tx, { id: workspaceId, name, byUserId: operator?.userId ?? null }, deps.now());
  });
  recordOperation(deps, operator, "workspace delete", { workspace: workspaceId });
  return { id: workspaceId };
}

/** Locks a workspace and returns its name. Throws "not_found" for one that is deleted. */
export async function requireWorkspace(tx: Tx, id: number): Promise<string> {
  await lockWorkspace(tx, id);
  const row = await tx
    .selectFrom("workspaces")
    .select("name")
    .where("id", "=", id)
    .where("id", "not in", (erased) => erased.selectFrom("erasures").select("workspaceId"))
    .executeTakeFirst();
  if (row === undefined) throw new Problem("not_found", `There is no workspace ${id}.`);
  return row.name;
}
