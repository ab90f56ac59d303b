import { dayMs } from "../base/time.ts";
import type { Unit } from "./series.ts";

/** Formats hours, days and months in the time zone of a report. */
export type TimeLabels = ReturnType<typeof timeLabelsOf>;

/** 2024-01-01 was a Monday. */
const aMonday = Date.UTC(2024, 0, 1);

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
    month: of({ month: "short", year: "2-digit" }),
  };
  const long: Record<Unit, Intl.DateTimeFormat> = {
    hour: of({ weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }),
    day: of({ weekday: "short", month: "short", day: "numeric", year: "numeric" }),
    month: of({ month: "long", year: "numeric" }),
  };
  const weekdayShort = of({ weekday: "short" }, "UTC");
  const weekdayLong = of({ weekday: "long" }, "UTC");
  const hour = of({ hour: "numeric" }, "UTC");
  const border = of({ dateStyle: "medium", timeStyle: "short" }, "UTC");
  const second = of({ timeStyle: "medium" });
  return {
    /** For an axis. */
    short: (unit: Unit, time: number) => short[unit].format(time),
    /** For tables and descriptions. */
    long: (unit: Unit, time: number) => long[unit].format(time),
    /** A day of the week, 0 for Monday. */
    weekday: (day: number) => weekdayShort.format(aMonday + day * dayMs),
    weekdayLong: (day: number) => weekdayLong.format(aMonday + day * dayMs),
    /** An hour of the day, from 0 to 24. */
    hour: (number: number) => hour.format(aMonday + (number * dayMs) / 24),
    /** The start or end of a custom period, which is already a local time. */
    border: (text: string) => border.format(Date.parse(`${text}Z`)),
    /** The time of day of a click. */
    clock: (time: string) => second.format(new Date(time)),
  };
}
