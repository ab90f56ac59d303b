import { firstInstant, type TimeZone } from "../analytics/time-zone.ts";
import { dayMs, hourMs, minuteMs, utcDay } from "../base/time.ts";
import type { NotificationKind } from "../database/notification-tables.ts";

/**
 * When notifications are due, and which period a report covers.
 *
 * 1. Reports and alerts about whole days are due at sendHour of the recipient's clock: on Mondays, on the first of the
 *    month, or every day.
 * 2. A report covers the last complete week (Monday to Sunday) or calendar month before `now`, not before the time it
 *    was due. So a service that was down for a month sends one report, not four.
 */

/** The hour of the recipient's clock at which reports are sent. */
const sendHour = 8;
/** How often the clicks of the current day are compared, and how often domains are. */
const spikeCheckMs = hourMs;
const domainCheckMs = 15 * minuteMs;

/** The kinds that are reports. */
export type ReportKind = Extract<NotificationKind, "weeklyReport" | "monthlyReport">;

/** The period of a report and the one before it. Instants; the ends are excluded. */
export type ReportPeriod = {
  /** The local date of its first day, which identifies it: "2026-11-16". */
  day: string;
  from: number;
  to: number;
  previousFrom: number;
};

/** The next time after `now` at which a notification is due. */
export function nextDue(kind: NotificationKind, now: number, zone: TimeZone): number {
  switch (kind) {
    case "weeklyReport":
      return firstAfter(now, zone, (weeks) => weekStart(now, zone) + weeks * 7 * dayMs);
    case "monthlyReport":
      return firstAfter(now, zone, (months) => monthStart(now, zone, months));
    case "drop":
      return firstAfter(now, zone, (days) => dayStart(now, zone) + days * dayMs);
    case "spike":
      return now + spikeCheckMs;
    case "failingDomain":
      return now + domainCheckMs;
  }
}

/** Upper bounds of the wait for the next time of each kind, also after failures. A later time was written while the clock was ahead. */
export const waitMaxMs: Record<NotificationKind, number> = {
  weeklyReport: 8 * dayMs,
  monthlyReport: 33 * dayMs,
  drop: 2 * dayMs,
  spike: dayMs,
  failingDomain: dayMs,
};

/** The last complete week or month before `now`. */
export function reportPeriod(kind: ReportKind, now: number, zone: TimeZone): ReportPeriod {
  const startBefore = (periods: number) =>
    kind === "weeklyReport" ? weekStart(now, zone) - periods * 7 * dayMs : monthStart(now, zone, -periods);
  const [to, from, previous] = [startBefore(0), startBefore(1), startBefore(2)];
  return {
    day: utcDay(from),
    from: firstInstant(from, zone),
    to: firstInstant(to, zone),
    previousFrom: firstInstant(previous, zone),
  };
}

/** The local date of an instant, some days later: "2026-11-20". */
export function localDay(instant: number, zone: TimeZone, daysLater = 0): string {
  return utcDay(dayStart(instant, zone) + daysLater * dayMs);
}

/** The first sendHour after `now` on the days that `wallOf` returns for 0 and 1. */
function firstAfter(now: number, zone: TimeZone, wallOf: (periods: number) => number): number {
  const current = firstInstant(wallOf(0) + sendHour * hourMs, zone);
  return current > now ? current : firstInstant(wallOf(1) + sendHour * hourMs, zone);
}

/** Midnight of the local day, as a wall time. */
function dayStart(instant: number, zone: TimeZone): number {
  return Math.floor((instant + zone.offsetAt(instant)) / dayMs) * dayMs;
}

/** Midnight of the local Monday, as a wall time. */
function weekStart(instant: number, zone: TimeZone): number {
  const day = dayStart(instant, zone);
  // 1 January 1970 was a Thursday.
  const weekday = (day / dayMs + 3) % 7;
  return day - weekday * dayMs;
}

/** Midnight of the first of a local month, as a wall time. */
function monthStart(instant: number, zone: TimeZone, monthsLater: number): number {
  const date = new Date(dayStart(instant, zone));
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1);
}
