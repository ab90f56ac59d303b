import type { Purge } from "../clicks/purge.ts";
import type { Db } from "../database/database.ts";

/** The purges whose clicks may still be on their way to the store or the counters; see purge-clicks.ts. */
export async function pendingPurges(db: Db): Promise<Purge[]> {
  return await db.selectFrom("purges").select(["linkId", "before"]).execute();
}
