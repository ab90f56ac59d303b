import { findTimeZone, utc } from "../analytics/time-zone.ts";
import type { Db } from "../database/database.ts";
import { notificationKinds } from "../database/notification-tables.ts";
import { nextDue, waitMaxMs } from "./schedule.ts";

/** Notifications of one step. */
const stepNotificationsMax = 100;

/**
 * Schedules the notifications again that were scheduled while the clock was ahead: otherwise, none is sent until their
 * time comes, perhaps years later. Sends nothing. "again" when there may be more.
 */
export async function rescheduleNotifications({ db, now }: { db: Db; now: () => number }): Promise<"again" | "idle"> {
  const at = now();
  const ahead = await db
    .selectFrom("notifications")
    .select(["id", "kind", "timeZone", "nextAt"])
    .where((where) =>
      where.or(
        notificationKinds.map((kind) =>
          where.and([where("kind", "=", kind), where("nextAt", ">", at + waitMaxMs[kind])]),
        ),
      ),
    )
    .limit(stepNotificationsMax)
    .execute();
  for (const { id, kind, timeZone, nextAt } of ahead) {
    const next = nextDue(kind, at, findTimeZone(timeZone) ?? utc);
    await db
      .updateTable("notifications")
      .set({ nextAt: next, attempts: 0 })
      .where("id", "=", id)
      .where("nextAt", "=", nextAt)
      .execute();
  }
  return ahead.length === stepNotificationsMax ? "again" : "idle";
}
