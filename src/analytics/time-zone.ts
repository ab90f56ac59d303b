/**
 * Time zones: the time that clocks show at an instant, and when an hour, a day, a week or a month begins.
 *
 * 1. A wall time is the time that a clock shows, as the milliseconds at which UTC shows the same.
 * 2. A day begins at the first instant of its date: midnight; the first of two midnights when the clock is set back
 *    over it; or, where midnight does not exist, the first instant after the gap. A week begins with its Monday.
 * 3. Offsets come from the runtime's time zone data. All transitions of a zone in the supported years, 256 at most, are
 *    read once, in 2 ms; later lookups are binary searches. Before its first transition the clock has its first offset,
 *    after the last one its last.
 */

import { LruCache } from "../base/lru-cache.ts";
import { nearestName } from "../base/nearest-name.ts";
import { invalid } from "../base/problem.ts";
import { dayMs, hourMs, weekMs } from "../base/time.ts";
import type { ClockOffset } from "../clicks/query.ts";

/** A time zone. Offsets are from UTC to its wall time in milliseconds, positive east of Greenwich. */
export type TimeZone = {
  name: string;
  offsetAt(instant: number): number;
  /** The transitions of the clock, ascending; the first also applies to every earlier instant. */
  transitions: readonly ClockOffset[];
};

/** The units of buckets, from the shortest. */
export const bucketUnits = ["hour", "day", "week", "month"] as const;
export type BucketUnit = (typeof bucketUnits)[number];

/** The instants that the transition tables cover: the supported years in every time zone. */
const transitionsFrom = Date.UTC(1970, 0) - dayMs;
const transitionsTo = Date.UTC(2100, 0) + dayMs;
/** More than any zone has: Havana has the most, 256. */
const transitionsMax = 1_000;

/** All names (about 600 with the older ones), so that no table is read twice. */
const zonesKeptMax = 700;
const zoneNameCharactersMax = 64;
const zones = new LruCache<string, TimeZone>(zonesKeptMax);

/** UTC, for a stored name that this version of the time zone database no longer has. */
export const utc: TimeZone = { name: "UTC", offsetAt: () => 0, transitions: [{ from: 0, offsetMs: 0 }] };

/** The zone with an IANA name, in any case; undefined for an unknown name. Offsets such as "+02:00" are not names. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (!/^[a-z]/i.test(name) || name.length > zoneNameCharactersMax) return undefined;
  const folded = name.toLowerCase();
  const known = zones.get(folded);
  if (known !== undefined) return known;
  const zone = openTimeZone(name);
  if (zone !== undefined) zones.set(folded, zone);
  return zone;
}

/** As findTimeZone, for the value of a field. Throws "unprocessable_entity", with the nearest name, for an unknown one. */
export function readTimeZone(field: "timezone" | "timeZone", name: string): TimeZone {
  const zone = findTimeZone(name);
  if (zone !== undefined) return zone;
  const nearest = nearestTimeZone(name);
  throw nearest === undefined
    ? invalid(field, "must be an IANA time zone such as Europe/Berlin.")
    : invalid(field, `must be an IANA time zone; the nearest is ${nearest}.`);
}

let zoneNames: readonly string[] | undefined;

/** The IANA name most similar to a misspelled one; undefined when none is similar. */
export function nearestTimeZone(name: string): string | undefined {
  zoneNames ??= Intl.supportedValuesOf("timeZone");
  return nearestName(name, zoneNames);
}

/** The start of the hour, day, week or month that contains the instant. */
export function startOf(unit: BucketUnit, instant: number, zone: TimeZone): number {
  if (unit === "hour") return startOfHour(instant, zone);
  return firstInstant(wallStart(unit, instant + zone.offsetAt(instant), 0), zone);
}

/** The start of the hour, day, week or month after the one that begins at `start`. */
export function nextStart(unit: BucketUnit, start: number, zone: TimeZone): number {
  if (unit === "hour") return startOfHour(start + hourMs, zone);
  return firstInstant(wallStart(unit, start + zone.offsetAt(start), 1), zone);
}

/** The start of the day, week or month that is `unitsLater` after the one with the instant; negative for earlier. */
export function startOfLater(
  unit: Exclude<BucketUnit, "hour">,
  instant: number,
  unitsLater: number,
  zone: TimeZone,
): number {
  return firstInstant(wallStart(unit, instant + zone.offsetAt(instant), unitsLater), zone);
}

/** The first instant at which the clock shows the wall time, or the first later one if a gap skips it. */
export function firstInstant(wall: number, zone: TimeZone): number {
  // Offsets range from -12 to +14 hours, so a day to either side is certainly before and after the wall time.
  const candidates = [wall - zone.offsetAt(wall - dayMs), wall - zone.offsetAt(wall + dayMs)];
  const earlier = Math.min(...candidates);
  const later = Math.max(...candidates);
  for (const candidate of [earlier, later]) {
    if (candidate + zone.offsetAt(candidate) === wall) return candidate;
  }
  return transitionBetween(earlier, later, zone);
}

/** The offsets of the clock between two instants, ascending; the first begins at `from`. */
export function offsetsBetween({ from, to }: { from: number; to: number }, zone: TimeZone): ClockOffset[] {
  const later = zone.transitions.filter((transition) => transition.from > from && transition.from < to);
  return [{ from, offsetMs: zone.offsetAt(from) }, ...later];
}

function openTimeZone(name: string): TimeZone | undefined {
  const begin = beginningIn(name);
  if (begin === undefined) return undefined;
  const transitions = readTransitions(begin);
  return {
    name: begin.timeZoneId,
    transitions,
    offsetAt: (instant) =>
      transitions[
        Math.max(
          0,
          lastAtOrBefore(transitions, instant, ({ from }) => from),
        )
      ]?.offsetMs ?? 0,
  };
}

function beginningIn(name: string): Temporal.ZonedDateTime | undefined {
  try {
    return Temporal.Instant.fromEpochMilliseconds(transitionsFrom).toZonedDateTimeISO(name);
  } catch {
    // The runtime throws a RangeError for an unknown name.
    return undefined;
  }
}

function readTransitions(begin: Temporal.ZonedDateTime): ClockOffset[] {
  const transitions: ClockOffset[] = [];
  for (
    let at: Temporal.ZonedDateTime | null = begin;
    at !== null && at.epochMilliseconds < transitionsTo;
    at = at.getTimeZoneTransition("next")
  ) {
    if (transitions.length === transitionsMax) throw new Error(`${begin.timeZoneId} has too many transitions.`);
    transitions.push({ from: at.epochMilliseconds, offsetMs: at.offsetNanoseconds / 1_000_000 });
  }
  return transitions;
}

/** The index of the last item whose start is at or before the instant; -1 for none. The items ascend. */
export function lastAtOrBefore<Item>(items: readonly Item[], instant: number, startOf: (item: Item) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && startOf(item) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function startOfHour(instant: number, zone: TimeZone): number {
  const offset = zone.offsetAt(instant);
  const start = floorTo(instant + offset, hourMs) - offset;
  // If a clock is set by less than an hour, an hour begins at that instant.
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

function wallStart(unit: Exclude<BucketUnit, "hour">, wall: number, unitsLater: number): number {
  switch (unit) {
    case "day":
      return floorTo(wall, dayMs) + unitsLater * dayMs;
    case "week":
      return floorTo(wall - firstMondayMs, weekMs) + firstMondayMs + unitsLater * weekMs;
    case "month": {
      const date = new Date(wall);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + unitsLater, 1);
    }
  }
}

/** 1970-01-05 was a Monday. */
const firstMondayMs = 4 * dayMs;

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}
