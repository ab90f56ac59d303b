/**
 * Expires the individual clicks of workspaces with a retention. The clicks of a whole day (UTC) expire together, so that the store
 * removes clicks and compacts its file at most once a day. A click is kept for clickRetentionDays and up to a day more.
 */

import { sql } from "kysely";
import { dayMs } from "../base/time.ts";
import type { ExpireScope } from "../clicks/store.ts";
import type { Db } from "../database/database.ts";

/** Workspaces whose clicks expire in one step. */
export const stepWorkspacesMax = 20;

/** Dependencies of the expiry: the database, and the store's own expiry. */
type ExpireDeps = {
  db: Db;
  now: () => number;
  expire: (scope: ExpireScope) => Promise<void>;
};

/**
 * Expires the clicks of the next workspaces whose day has come; "again" while there may be more. Can be interrupted
 * anywhere and repeated.
 */
export async function expireNextClicks({ db, now, expire }: ExpireDeps): Promise<"again" | "idle"> {
  const today = Math.floor(now() / dayMs) * dayMs;
  const due = await db
    .selectFrom("workspaces")
    .select(["id", "clickRetentionDays"])
    .where("clickRetentionDays", "is not", null)
    .where((where) =>
      where.or([
        where("clicksExpiredTo", "is", null),
        // Cast to the width of an instant, since integers have 32 bits on PostgreSQL.
        sql<boolean>`"clicksExpiredTo" + "clickRetentionDays" * cast(${dayMs} as bigint) < ${today}`,
      ]),
    )
    .orderBy("id")
    .limit(stepWorkspacesMax)
    .execute();
  for (const { id, clickRetentionDays } of due) {
    if (clickRetentionDays === null) continue;
    const before = today - clickRetentionDays * dayMs;
    await expire({ workspaceId: id, before });
    await db
      .updateTable("workspaces")
      .set({ clicksExpiredTo: before })
      .where("id", "=", id)
      // A setting that changed in between has its own day.
      .where("clickRetentionDays", "=", clickRetentionDays)
      .execute();
  }
  return due.length === stepWorkspacesMax ? "again" : "idle";
}
