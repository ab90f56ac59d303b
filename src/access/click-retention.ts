/**
 * How long a workspace keeps single clicks. Older ones go a whole day (UTC) at once: so the store removes clicks once a
 * day, and its file is written anew once a day too. A click is therefore kept for clickRetentionDays and up to a day more.
 */
import { type Kysely, sql } from "kysely";
import { dayMs } from "../base/time.ts";
import type { ExpireScope } from "../clicks/store.ts";
import type { Schema } from "../database/schema.ts";

/** The days that may be chosen. */
export const clickRetentionDaysMax = 3_650;
/** Workspaces whose clicks are expired in one step. */
export const expiredAtOnceMax = 20;

/** What expiring takes: the database, and the store's own way of doing it. */
export type ExpireDeps = {
  db: Kysely<Schema>;
  now: () => number;
  expire: (scope: ExpireScope) => Promise<void>;
};

/**
 * Expires the clicks of the next workspaces that have a retention and whose day has come; "again" while there may be more.
 * May be interrupted anywhere and repeated.
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
        // As wide as an instant also where integers have 32 bits.
        sql<boolean>`"clicksExpiredTo" + "clickRetentionDays" * cast(${dayMs} as bigint) < ${today}`,
      ]),
    )
    .orderBy("id")
    .limit(expiredAtOnceMax)
    .execute();
  for (const { id, clickRetentionDays } of due) {
    if (clickRetentionDays === null) continue;
    const before = today - clickRetentionDays * dayMs;
    await expire({ workspaceId: id, before });
    await db
      .updateTable("workspaces")
      .set({ clicksExpiredTo: before })
      .where("id", "=", id)
      // A setting changed meanwhile has its own day.
      .where("clickRetentionDays", "=", clickRetentionDays)
      .execute();
  }
  return due.length === expiredAtOnceMax ? "again" : "idle";
}
