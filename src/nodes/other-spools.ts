import { minuteMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
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

/** What a running node has reported. */
export type ReportedNode = {
  id: string;
  /** When it reported, in milliseconds since the epoch on that node's clock. */
  seenAt: number;
  /** False until it has opened all of its spools. */
  isComplete: boolean;
  spools: ReportedSpool[];
};

/** A node that has not reported for this long, by both nodes' clocks, has ended. */
const endedAfterMs = minuteMs;

/** The other nodes that run, as of their last reports. */
export async function otherRunningNodes(db: Db, nodeId: string, now: number): Promise<ReportedNode[]> {
  const nodes = await db
    .selectFrom("nodes")
    .select(["id", "seenAt", "copyAt"])
    .where("id", "<>", nodeId)
    .where("state", "=", "running")
    .where("seenAt", ">", now - endedAfterMs)
    .execute();
  if (nodes.length === 0) return [];
  const spools = await db
    .selectFrom("nodeSpools")
    .select(["nodeId", "spoolId", "end", "stored", "counted"])
    .where("nodeId", "<>", nodeId)
    .execute();
  const spoolsOf = Map.groupBy(spools, (spool) => spool.nodeId);
  return nodes.map(({ copyAt, ...node }) => ({
    ...node,
    isComplete: copyAt !== null,
    spools: spoolsOf.get(node.id) ?? [],
  }));
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
