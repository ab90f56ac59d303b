import { sql } from "kysely";
import { currentBlocks } from "../access/blocks.ts";
import { isoTime } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { containing, type PageRequest } from "./page.ts";

/** A domain as operators see it. */
export type DomainSummary = {
  id: string;
  slug: string;
  status: "pending" | "verified" | "failing";
  workspaceId: number;
  workspace: string;
  isInstance: boolean;
  isBlocked: boolean;
  createdAt: string;
};

/** Lists domains, oldest first; `search` is part of the name, `after` an id. */
export async function listAllDomains(db: Db, { search, after, limit }: PageRequest<string>): Promise<DomainSummary[]> {
  let query = db
    .selectFrom("domains")
    .innerJoin("workspaces", "workspaces.id", "domains.workspaceId")
    .select(["domains.id", "domains.slug", "domains.status", "domains.workspaceId", "workspaces.name as workspace"])
    .select(["domains.isInstance", "domains.createdAt"])
    .whereRef("domains.slug", "<>", "domains.id")
    .where("domains.workspaceId", "not in", (erased) => erased.selectFrom("erasures").select("workspaceId"))
    .orderBy("domains.id")
    .limit(limit);
  if (after !== undefined) query = query.where("domains.id", ">", after);
  if (search !== undefined) {
    query = query.where(sql<boolean>`"domains"."slug" like ${containing(search)} escape '\\'`);
  }
  const blocks = await currentBlocks(db);
  return (await query.execute()).map((row) => ({
    ...row,
    isInstance: row.isInstance === 1,
    isBlocked: blocks.hasDomain(row.slug),
    createdAt: isoTime(row.createdAt),
  }));
}
