/**
 * Clocks of places: which time they show at an instant, and when a day, an hour or a month begins there.
 *
 * 1. A wall time is what a clock shows, as the milliseconds that UTC would have to show the same.
 * 2. A day begins at the first instant of its date. That is midnight, the first of two midnights where the clock is
 *    set back over it, or, where midnight does not exist, the first instant behind the gap.
 * 3. Offsets are asked of the runtime's own time zone data; nothing is kept but a formatter for each zone in use.
 */
import { Recent } from "../base/recent.ts";
import { dayMs, hourMs, secondMs } from "../base/time.ts";
import type { ClockOffset } from "../clicks/query.ts";

/** The clock of a place. The offset is that of its wall time to UTC in milliseconds, positive east of Greenwich. */
export type TimeZone = { name: string; offsetAt(instant: number): number };

/** What clicks are counted by over time. */
export type BucketUnit = "hour" | "day" | "month";

/** The clock that everybody falls back to. */
const utc: TimeZone = { name: "UTC", offsetAt: () => 0 };

/** Formatters are heavy; no service is asked for many zones at a time. */
const zonesKeptMax = 50;
const zoneNameCharactersMax = 64;
const zones = new Recent<string, TimeZone>(zonesKeptMax);

/** The zone of an IANA name, in any case; UTC for a name nobody knows. Offsets such as "+02:00" are no names. */
export function findTimeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = openTimeZone(name);
  zones.set(name, zone);
  return zone;
}

/** The start of the hour, day or month that the instant belongs to; never behind the instant. */
export function startOf(unit: BucketUnit, instant: number, zone: TimeZone): number {
  if (unit === "hour") return startOfHour(instant, zone);
  const wall = instant + zone.offsetAt(instant);
  return firstInstant(unit === "day" ? floorTo(wall, dayMs) : monthOf(wall, 0), zone);
}

/** The start of the hour, day or month after the one that begins at `start`. */
export function nextStart(unit: BucketUnit, start: number, zone: TimeZone): number {
  if (unit === "hour") return startOfHour(start + hourMs, zone);
  const wall = start + zone.offsetAt(start);
  return firstInstant(unit === "day" ? floorTo(wall, dayMs) + dayMs : monthOf(wall, 1), zone);
}

/** The first instant at which the clock shows the wall time, or a later one where a gap leaves that time out. */
export function firstInstant(wall: number, zone: TimeZone): number {
  // Offsets reach from -12 to +14 hours, so that a day to either side lies before and behind the wall time for sure.
  const candidates = [wall - zone.offsetAt(wall - dayMs), wall - zone.offsetAt(wall + dayMs)];
  const earlier = Math.min(...candidates);
  const later = Math.max(...candidates);
  for (const candidate of [earlier, later]) {
    if (candidate + zone.offsetAt(candidate) === wall) return candidate;
  }
  return transitionBetween(earlier, later, zone);
}

/** The shortest time between two changes of one clock since 1970 is a week (Recife, October 2000). */
const offsetKeptMsMin = 6 * dayMs;

/** The offsets that the clock has from one instant to another, ascending; the first begins at `from`. */
export function offsetsBetween({ from, to }: { from: number; to: number }, zone: TimeZone): ClockOffset[] {
  let last: ClockOffset = { from, offsetMs: zone.offsetAt(from) };
  const offsets = [last];
  for (let at = from; at < to; at += offsetKeptMsMin) {
    const later = at + offsetKeptMsMin;
    const offsetMs = zone.offsetAt(later);
    if (offsetMs === last.offsetMs) continue;
    last = { from: transitionBetween(at, later, zone), offsetMs };
    offsets.push(last);
  }
  return offsets;
}

function openTimeZone(name: string): TimeZone {
  if (!/^[a-z]/i.test(name) || name.length > zoneNameCharactersMax) return utc;
  try {
    const formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
    });
    const resolved = formatter.resolvedOptions().timeZone;
    if (resolved === utc.name) return utc;
    return { name: resolved, offsetAt: (instant) => wallOf(formatter, instant) - floorTo(instant, secondMs) };
  } catch {
    // A RangeError is how the runtime says that it does not know the name.
    return utc;
  }
}

function wallOf(formatter: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(formatter.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

function startOfHour(instant: number, zone: TimeZone): number {
  const offset = zone.offsetAt(instant);
  const start = floorTo(instant + offset, hourMs) - offset;
  // Where a clock is set by less than an hour, the hour begins at that moment, in the midst of one.
  return zone.offsetAt(start) === offset ? start : transitionBetween(start, instant, zone);
}

/** The first instant with the offset of `after`; the offset changes once between the two. */
function transitionBetween(before: number, after: number, zone: TimeZone): number {
  const offset = zone.offsetAt(after);
  let old = before;
  let changed = after;
  while (changed - old > 1) {
    const middle = Math.floor((old + changed) / 2);
    if (zone.offsetAt(middle) === offset) changed = middle;
    else old = middle;
  }
  return changed;
}

function monthOf(wall: number, monthsLater: number): number {
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1);
}

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}
