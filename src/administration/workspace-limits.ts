import { countLinksOf, startLinkCount } from "../access/link-count.ts";
import {
  countOf,
  effectiveLimit,
  type LimitName,
  type Limits,
  limitNames,
  limitsOf,
  type OwnLimits,
} from "../access/workspace-limits.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { type Operator, type OperatorDeps, recordOperation } from "./operator.ts";
import { requireWorkspace } from "./workspaces.ts";

/** What a workspace has of everything that is limited. */
export type WorkspaceUsage = Record<Exclude<LimitName, "clickRetentionDays">, number>;

/** The limits of a workspace as operators see them: its own, the instance's, and what it has. */
export type AdministeredLimits = { id: number; own: OwnLimits; instance: Limits; used: WorkspaceUsage };

/** Changes of a workspace's limits: null returns to the instance's, an absent one stays. */
export type LimitChanges = { [Name in LimitName]?: number | "unlimited" | null | undefined };

/** `reads` counts links without delaying visitors. */
type Deps = OperatorDeps & { reads: Db };

/** Counts what a workspace has. `reads` should be a connection whose queries delay no visitor. */
export async function usageOf(reads: Db, workspaceId: number): Promise<WorkspaceUsage> {
  return {
    links: await countOf(reads, workspaceId, "links"),
    domains: await countOf(reads, workspaceId, "domains"),
    members: await countOf(reads, workspaceId, "members"),
    apiKeys: await countOf(reads, workspaceId, "apiKeys"),
  };
}

/** The limits of a workspace. Throws "not_found". */
export async function getLimits({ db, reads }: Pick<Deps, "db" | "reads">, id: number): Promise<AdministeredLimits> {
  await transact(db, (tx) => requireWorkspace(tx, id));
  const { own, instance } = await limitsOf(db, id);
  return { id, own, instance, used: await usageOf(reads, id) };
}

/**
 * Changes the limits of a workspace, and returns them. Nothing is removed from a workspace that has more. The audit log
 * of the workspace records it. Throws "not_found".
 */
export async function setLimits(
  deps: Deps,
  operator: Operator,
  { workspaceId: id, ...changes }: LimitChanges & { workspaceId: number },
): Promise<AdministeredLimits> {
  const changed = await transact(deps.db, async (tx) => {
    await requireWorkspace(tx, id);
    const { own: before, instance } = await limitsOf(tx, id);
    const after: OwnLimits = { ...before };
    for (const name of limitNames) {
      const change = changes[name];
      if (change === null) delete after[name];
      else if (change !== undefined) after[name] = change;
    }
    const names = limitNames.filter((name) => before[name] !== after[name]);
    if (names.length === 0) return false;
    await tx
      .updateTable("workspaces")
      .set({ limits: JSON.stringify(after) })
      .where("id", "=", id)
      .execute();
    if (effectiveLimit(after.links, instance.links) !== null) await startLinkCount(tx, id);
    const fields = (limits: OwnLimits) =>
      Object.fromEntries(names.map((name) => [`${name}Max`, limits[name] ?? "default"]));
    const by = { workspaceId: id, userId: operator?.userId ?? null };
    const data = { before: fields(before), after: fields(after) };
    await emit(tx, eventBy(by, "workspace.updated", String(id), deps.now(), data));
    return true;
  });
  await countLinksOf(deps, id);
  if (changed) recordOperation(deps, operator, "workspace limits", { workspace: id, ...changes });
  return await getLimits(deps, id);
}
