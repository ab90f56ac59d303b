import type { Db } from "../database/database.ts";
import { reportEveryMs } from "./report-node.ts";

/** Long enough for two reports. */
const watchMs = 2 * reportEveryMs + 1_000;

/**
 * True when a node with this id reports now. A machine that has just vanished may hold the node's lock for some seconds,
 * but it does not report.
 */
export async function isReporting(db: Db, id: string): Promise<boolean> {
  const lastSeen = async () =>
    (await db.selectFrom("nodes").select("seenAt").where("id", "=", id).executeTakeFirst())?.seenAt;
  const before = await lastSeen();
  await Bun.sleep(watchMs);
  return (await lastSeen()) !== before;
}
