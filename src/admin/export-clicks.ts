import { z } from "zod";
import { type ClicksExport, type ExportDeps, exportClicks } from "../analytics/export-clicks.ts";
import { exportQuery } from "../api/event-export.ts";
import { validationMessage } from "../api/http/validation-message.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";

/** The workspace and the query of GET /v1/events/export. */
const OperatorExport = z.object({
  workspace: z.int().min(1).optional(),
  query: z.record(z.string(), z.string()),
});

/** How many workspaces the error message lists. */
const workspacesShownMax = 10;

/**
 * Begins an export as the API does. Without `workspace`, it exports the only workspace.
 * Throws "not_found" for an unknown workspace, "unprocessable_entity" for invalid input or an ambiguous workspace, and
 * the errors of exportClicks.
 */
export async function exportForOperator(deps: ExportDeps, input: unknown, signal: AbortSignal): Promise<ClicksExport> {
  const { workspace, query } = OperatorExport.parse(input);
  const read = exportQuery.safeParse(query, { error: validationMessage });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(issue?.path.join(".") ?? "query", issue?.message ?? "is invalid");
  }
  const { event: _, ...question } = read.data;
  const workspaceId = await findWorkspace(deps.db, workspace);
  // The operator may read all data and is a member of no workspace.
  const actor = { userId: "", workspaceId, role: "owner", scopes: null, expiresAt: null } as const;
  return await exportClicks(deps, actor, question, signal);
}

async function findWorkspace(db: Db, workspaceId: number | undefined): Promise<number> {
  let workspaces = db
    .selectFrom("workspaces")
    .select(["id", "name"])
    .where("id", "not in", (where) => where.selectFrom("erasures").select("workspaceId"))
    .orderBy("id")
    .limit(workspacesShownMax + 1);
  if (workspaceId !== undefined) workspaces = workspaces.where("id", "=", workspaceId);
  const [first, ...others] = await workspaces.execute();
  if (first === undefined) throw notFound("workspace");
  if (others.length === 0) return first.id;
  const names = [first, ...others].slice(0, workspacesShownMax).map(({ id, name }) => `${id} (${name})`);
  const more = others.length < workspacesShownMax ? "" : ", …";
  throw new Problem("unprocessable_entity", `Choose a workspace with --workspace: ${names.join(", ")}${more}.`);
}
