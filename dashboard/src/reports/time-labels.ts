import { dayMs } from "../base/time.ts";
import { type CustomPeriod, hasTimes, wallTimesOf } from "./period.ts";
import type { Unit } from "./search.ts";

/** Formats hours, days, weeks and months in the time zone of a report. */
export type TimeLabels = ReturnType<typeof timeLabelsOf>;

/** Into the last day of a week, whether or not the clock is changed in it. */
const lastDayOfWeekMs = 6.5 * dayMs;
/** Shorter periods are shown with their times. */
const timedDaysMax = 2;

/** 2024-01-01 was a Monday. */
const mondayMs = Date.UTC(2024, 0, 1);

/**
 * Creates the formatters for a locale and an IANA time zone. Throws RangeError for a zone that the browser does not
 * know.
 */
export function timeLabelsOf(locale: string, timeZone: string) {
  const of = (options: Intl.DateTimeFormatOptions, zone = timeZone) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  const short: Record<Unit, Intl.DateTimeFormat> = {
    hour: of({ hour: "numeric", minute: "2-digit" }),
    day: of({ month: "short", day: "numeric" }),
    week: of({ month: "short", day: "numeric" }),
    month: of({ month: "short", year: "2-digit" }),
  };
  const long: Record<Unit, Intl.DateTimeFormat> = {
    hour: of({ weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }),
    day: of({ weekday: "short", month: "short", day: "numeric", year: "numeric" }),
    week: of({ dateStyle: "medium" }),
    month: of({ month: "long", year: "numeric" }),
  };
  const weekdayShort = of({ weekday: "short" }, "UTC");
  const weekdayLong = of({ weekday: "long" }, "UTC");
  const hour = of({ hour: "numeric" }, "UTC");
  const days = of({ dateStyle: "medium" });
  const times = of({ dateStyle: "medium", timeStyle: "short" });
  const wallDays = of({ dateStyle: "medium" }, "UTC");
  const wallTimes = of({ dateStyle: "medium", timeStyle: "short" }, "UTC");
  const second = of({ timeStyle: "medium" });
  return {
    /** For an axis. */
    short: (unit: Unit, time: number) => short[unit].format(time),
    /** For tables and descriptions. */
    long: (unit: Unit, time: number) =>
      unit === "week" ? days.formatRange(time, time + lastDayOfWeekMs) : long[unit].format(time),
    /** A day of the week, 0 for Monday. */
    weekday: (day: number) => weekdayShort.format(mondayMs + day * dayMs),
    weekdayLong: (day: number) => weekdayLong.format(mondayMs + day * dayMs),
    /** An hour of the day, from 0 to 24. */
    hour: (number: number) => hour.format(mondayMs + (number * dayMs) / 24),
    /** A custom period, whose boundaries are already local times. */
    period: (period: CustomPeriod) => {
      const { from, to } = wallTimesOf(period);
      return hasTimes(period) ? wallTimes.formatRange(from, to) : wallDays.formatRange(from, to - 1);
    },
    /** The period from an instant to a later one: in days, or with times if it is short. */
    between: (from: string, to: string) => {
      const [start, end] = [Date.parse(from), Date.parse(to)];
      return end - start < timedDaysMax * dayMs ? times.formatRange(start, end) : days.formatRange(start, end - 1);
    },
    /** The time of day of a click. */
    clock: (time: string) => second.format(new Date(time)),
  };
}
