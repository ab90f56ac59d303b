import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { silentAfterMs } from "./list-nodes.ts";

/** A spool that nobody waits for any more, and the bytes of clicks that its node had not stored or counted. */
type AbandonedSpool = { spoolId: string; nodeId: string; lostBytes: number };

/**
 * Stops waiting for the spool of a lost disk. Purges and erasures no longer wait for its clicks, which are lost.
 * Throws "not_found" for an unknown spool, and "conflict" while its node reports: then nothing is lost.
 */
export async function abandonSpool(db: Db, spoolId: string, now: number): Promise<AbandonedSpool> {
  return await transact(db, async (tx) => {
    const spool = await tx.selectFrom("nodeSpools").selectAll().where("spoolId", "=", spoolId).executeTakeFirst();
    if (spool === undefined)
      throw new Problem(
        "not_found",
        `No node has the spool ${spoolId}. "waypost nodes" lists them in the column SPOOL.`,
      );
    const { nodeId, end, stored, counted } = spool;
    const node = await tx.selectFrom("nodes").selectAll().where("id", "=", nodeId).executeTakeFirst();
    if (node?.state === "running" && now - node.seenAt <= silentAfterMs) {
      throw new Problem("conflict", `The node ${nodeId} runs and stores the clicks of this spool. Stop it first.`);
    }
    await tx.deleteFrom("nodeSpools").where("spoolId", "=", spoolId).execute();
    await endOpenBatch(tx, spoolId);
    const left = await tx.selectFrom("nodeSpools").select("spoolId").where("nodeId", "=", nodeId).executeTakeFirst();
    // A node without a spool has nothing to wait for; it returns to the list when it runs again.
    if (left === undefined) await tx.deleteFrom("nodes").where("id", "=", nodeId).execute();
    return { spoolId, nodeId, lostBytes: end - Math.min(stored, counted) };
  });
}

/**
 * Ends the batch that the node may or may not have stored: while a batch is open, clicks of later batches do not expire,
 * and exports leave its clicks out. If the disk returns, its clicks are not stored again, since that could count them
 * twice.
 */
async function endOpenBatch(tx: Tx, spoolId: string): Promise<void> {
  const open = await tx
    .updateTable("clickBatches")
    .set({ isStored: 1 })
    .where("spoolId", "=", spoolId)
    .where("isStored", "=", 0)
    .returning("to")
    .executeTakeFirst();
  if (open === undefined) return;
  await tx.updateTable("clickCursors").set({ position: open.to }).where("spoolId", "=", spoolId).execute();
}
