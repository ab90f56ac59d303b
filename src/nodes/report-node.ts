import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { silentAfterMs } from "./list-nodes.ts";

/** A spool, as its node reports it: its end, and how far each reader has read it. */
export type ReportedSpool = { spoolId: string; end: number; stored: number; counted: number };

/** What a node reports of itself. */
export type NodeReport = {
  id: string;
  host: string;
  version: string;
  state: "running" | "stopped";
  /** When its redirects and its report last had every change and every spool; null before the first time. */
  copyAt: number | null;
  spools: readonly ReportedSpool[];
};

/** How often a running node reports. */
export const reportEveryMs = 2_000;

/**
 * Writes that a node starts. Removals of clicks wait for its next report, since no report knows of the clicks that it
 * recorded while PostgreSQL was away.
 */
export async function reportStart(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("nodes").set({ state: "running", copyAt: null }).where("id", "=", id).execute();
}

/**
 * Writes a node's report. A spool belongs to the node that reported it last. A dead node whose spools other nodes have
 * adopted leaves the list of nodes; it returns when it runs again.
 */
export async function reportNode(db: Db, { spools, ...node }: NodeReport, now: number): Promise<void> {
  await transact(db, async (tx) => {
    const reported = { ...node, seenAt: now };
    await tx
      .insertInto("nodes")
      .values(reported)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(reported))
      .execute();
    for (const spool of spools) {
      const row = { ...spool, nodeId: node.id };
      await tx
        .insertInto("nodeSpools")
        .values(row)
        .onConflict((conflict) => conflict.column("spoolId").doUpdateSet(row))
        .execute();
    }
    // A spool that is gone was read to its end.
    const kept = spools.map(({ spoolId }) => spoolId);
    await tx
      .deleteFrom("nodeSpools")
      .where("nodeId", "=", node.id)
      .$if(kept.length > 0, (query) => query.where("spoolId", "not in", kept))
      .execute();
    await deleteDeadNodes(tx, now);
  });
}

/** Deletes the nodes that have no spool, as all were adopted, and have not reported for a while. */
async function deleteDeadNodes(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom("nodes")
    .where("seenAt", "<", now - silentAfterMs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("nodeSpools").select("spoolId").whereRef("nodeSpools.nodeId", "=", "nodes.id"))),
    )
    .execute();
}
