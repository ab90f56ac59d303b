import { findTimeZone, utc } from "../analytics/time-zone.ts";
import { dayMs, utcDay } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { notificationKinds } from "../database/notification-tables.ts";
import { firstSentPeriod } from "./notifications.ts";
import { nextDue, waitMaxMs } from "./schedule.ts";

/** Notifications of one step. */
const stepNotificationsMax = 100;
/**
 * How far ahead a sent period may begin. An alert is about today, which another time zone, set after it, may call
 * tomorrow; and the date in UTC may be a day behind.
 */
const periodAheadMaxMs = 2 * dayMs;

/**
 * Repairs the notifications that were scheduled, sent or created while the clock was ahead. Otherwise none is sent until
 * that time comes, perhaps years later.
 * Guarantee: sends nothing, and no report repeats a period. A notification whose sent period is still to come starts
 * again, as if it were new. "again" when there may be more.
 */
export async function rescheduleNotifications({ db, now }: { db: Db; now: () => number }): Promise<"again" | "idle"> {
  const at = now();
  const lastPeriod = utcDay(at + periodAheadMaxMs);
  const ahead = await db
    .selectFrom("notifications")
    .select(["id", "kind", "timeZone", "nextAt", "sentPeriod", "lastSentAt"])
    .where((where) =>
      where.or([
        where("sentPeriod", ">", lastPeriod),
        ...notificationKinds.map((kind) =>
          where.and([where("kind", "=", kind), where("nextAt", ">", at + waitMaxMs[kind])]),
        ),
      ]),
    )
    .limit(stepNotificationsMax)
    .execute();
  for (const { id, kind, timeZone, nextAt, sentPeriod, lastSentAt } of ahead) {
    const zone = findTimeZone(timeZone) ?? utc;
    const isPeriodAhead = sentPeriod !== null && sentPeriod > lastPeriod;
    await db
      .updateTable("notifications")
      .set({ nextAt: nextDue(kind, at, zone), attempts: 0 })
      .set(isPeriodAhead ? { sentPeriod: firstSentPeriod(kind, at, zone) } : {})
      .set(lastSentAt !== null && lastSentAt > at ? { lastSentAt: null } : {})
      .where("id", "=", id)
      .where("nextAt", "=", nextAt)
      .execute();
  }
  return ahead.length === stepNotificationsMax ? "again" : "idle";
}
