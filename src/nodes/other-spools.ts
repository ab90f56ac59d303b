import type { Db } from "../database/database.ts";
import { silentAfterMs } from "./list-nodes.ts";
import type { ReportedSpool } from "./report-node.ts";

/** The spools of all other nodes, as of their last reports. */
export async function otherSpools(db: Db, nodeId: string): Promise<ReportedSpool[]> {
  return await db
    .selectFrom("nodeSpools")
    .select(["spoolId", "end", "stored", "counted"])
    .where("nodeId", "<>", nodeId)
    .orderBy("spoolId")
    .execute();
}

/** A spool of a running node, and when the node reported it, in milliseconds since the epoch on that node's clock. */
export type NodeSpool = Pick<ReportedSpool, "spoolId" | "end" | "stored"> & { seenAt: number };

/** The spools of the other nodes that run and report. */
export async function spoolsOfRunningNodes(db: Db, nodeId: string, now: number): Promise<NodeSpool[]> {
  return await db
    .selectFrom("nodeSpools")
    .innerJoin("nodes", "nodes.id", "nodeSpools.nodeId")
    .select(["nodeSpools.spoolId", "nodeSpools.end", "nodeSpools.stored", "nodes.seenAt"])
    .where("nodes.id", "<>", nodeId)
    .where("nodes.state", "=", "running")
    .where("nodes.seenAt", ">", now - silentAfterMs)
    .execute();
}

/** True for a spool that a node has reported, or whose clicks a node has begun to store. */
export async function isKnownSpool(db: Db, spoolId: string): Promise<boolean> {
  for (const table of ["nodeSpools", "clickCursors"] as const) {
    if ((await db.selectFrom(table).select("spoolId").where("spoolId", "=", spoolId).executeTakeFirst()) !== undefined)
      return true;
  }
  return false;
}

/** Another node that has a spool and was not stopped cleanly; undefined if there is none. */
export async function unstoppedNode(db: Db, nodeId: string): Promise<{ id: string; host: string } | undefined> {
  return await db
    .selectFrom("nodes")
    .select(["id", "host"])
    .where("id", "<>", nodeId)
    .where("state", "=", "running")
    .where((row) =>
      row.exists(row.selectFrom("nodeSpools").select("spoolId").whereRef("nodeSpools.nodeId", "=", "nodes.id")),
    )
    .orderBy("id")
    .executeTakeFirst();
}

/**
 * True when the last report of every other node shows which clicks it had for a change at `changedAt`: its copy of the
 * links has the change, and it has reported after `settledAt`. A stopped node gets no clicks, unless it starts while
 * PostgreSQL is away; then it repeats the removals (missed-removals.ts). One that has died may have some, so the answer is
 * false until it returns, or its spools are adopted or abandoned.
 */
export async function haveOthersSettled(
  db: Db,
  nodeId: string,
  { changedAt, settledAt }: { changedAt: number; settledAt: number },
): Promise<boolean> {
  const unsettled = await db
    .selectFrom("nodes")
    .select("id")
    .where("id", "<>", nodeId)
    .where("state", "=", "running")
    .where((row) => row.or([row("seenAt", "<=", settledAt), row("copyAt", "is", null), row("copyAt", "<=", changedAt)]))
    .where((row) =>
      row.exists(row.selectFrom("nodeSpools").select("spoolId").whereRef("nodeSpools.nodeId", "=", "nodes.id")),
    )
    .limit(1)
    .execute();
  return unsettled.length === 0;
}
