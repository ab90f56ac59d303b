import { invalid, Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import type { Actor } from "./actor.ts";
import { findSharedDomain } from "./shared-domains.ts";
import { lockAsOwner } from "./workspaces.ts";

/**
 * Deletes the actor's workspace, which the actor confirms by its name.
 * Guarantee: on return it has no members, keys and invites, its links redirect no visitor, and others can verify its
 * domains. An erasure records its links, domains, tags, folders, events and clicks; eraseNextPart deletes them step by
 * step, without further events.
 * Throws "forbidden" unless the actor is an owner, "unprocessable_entity" for another name, "conflict" for the
 * workspace of the instance's domain, and while other workspaces have links on one of its domains.
 */
export async function deleteWorkspace(
  { db, now }: { db: Db; now: () => number },
  actor: Actor,
  confirm: string,
): Promise<{ id: number }> {
  return await transact(db, async (tx) => {
    const { id, name } = await lockAsOwner(tx, actor);
    if (confirm.trim() !== name) throw invalid("confirm", "must be the workspace's name, exactly as written.");
    await removeWorkspace(tx, { id, name, byUserId: actor.userId }, now());
    return { id };
  });
}

/**
 * Deletes a workspace inside the transaction that has locked it, with the guarantee and the conflicts of
 * deleteWorkspace; `byUserId` is null for the command line.
 */
export async function removeWorkspace(
  tx: Tx,
  { id, name, byUserId }: { id: number; name: string; byUserId: string | null },
  at: number,
): Promise<void> {
  await refuseInstanceDomain(tx, id);
  await refuseForeignLinks(tx, id);
  const { last } = await tx
    .selectFrom("events")
    .select((select) => select.fn.coalesce(select.fn.max("id"), select.lit(0)).as("last"))
    .executeTakeFirstOrThrow();
  await tx.insertInto("erasures").values({ workspaceId: id, requestedAt: at, eventsTo: last }).execute();
  await tx
    .updateTable("domains")
    .set({ status: "pending", failingSince: null })
    .where("workspaceId", "=", id)
    .execute();
  for (const table of ["members", "apiKeys", "invites", "avatars", "shares", "examples"] as const) {
    await tx.deleteFrom(table).where("workspaceId", "=", id).execute();
  }
  await emit(tx, eventBy({ workspaceId: id, userId: byUserId }, "workspace.deleted", String(id), at, { name }));
}

/** One workspace always owns the instance's domain, so the last workspace is never deleted either. */
async function refuseInstanceDomain(tx: Tx, workspaceId: number): Promise<void> {
  const instance = await tx
    .selectFrom("domains")
    .select("slug")
    .where("workspaceId", "=", workspaceId)
    .where("isInstance", "=", 1)
    .executeTakeFirst();
  if (instance === undefined) return;
  throw new Problem(
    "conflict",
    `${instance.slug}, this service's own domain, belongs to this workspace; it cannot be deleted.`,
  );
}

async function refuseForeignLinks(tx: Tx, workspaceId: number): Promise<void> {
  const shared = await findSharedDomain(tx, workspaceId);
  if (shared === undefined) return;
  throw new Problem("conflict", `Other workspaces have links on ${shared.slug}, so this workspace cannot be deleted.`);
}
