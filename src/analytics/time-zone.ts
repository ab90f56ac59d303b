/**
 * Clocks of places: which time they show at an instant, and when a day, an hour or a month begins there.
 *
 * 1. A wall time is what a clock shows, as the milliseconds that UTC would have to show the same.
 * 2. A day begins at the first instant of its date. That is midnight, the first of two midnights where the clock is
 *    set back over it, or, where midnight does not exist, the first instant behind the gap.
 * 3. Offsets are the runtime's own time zone data, read once for each zone: all transitions of the years that can be
 *    asked for, 256 at most, in 2 ms. Every later question about the zone is a binary search in that table. Before the
 *    table the clock shows its first offset, behind it its last.
 */

import { LruCache } from "../base/lru-cache.ts";
import { nearestName } from "../base/nearest-name.ts";
import { dayMs, hourMs } from "../base/time.ts";
import type { ClockOffset } from "../clicks/query.ts";

/** The clock of a place. Offsets are those of its wall time to UTC in milliseconds, positive east of Greenwich. */
export type TimeZone = {
  name: string;
  offsetAt(instant: number): number;
  /** The transitions of the clock, ascending; the first holds for every instant before it as well. */
  transitions: readonly ClockOffset[];
};

/** What clicks are counted by over time. */
export type BucketUnit = "hour" | "day" | "month";

/** Instants that the tables of transitions cover: the years that can be asked for, in every time zone. */
const transitionsFrom = Date.UTC(1970, 0) - dayMs;
const transitionsTo = Date.UTC(2100, 0) + dayMs;
/** More than any zone has; the most are the 256 of Havana. */
const transitionsMax = 1_000;

/** Every name there is (some 600 with the older ones), so that no order of questions makes a table be read again. */
const zonesKeptMax = 700;
const zoneNameCharactersMax = 64;
const zones = new LruCache<string, TimeZone>(zonesKeptMax);

/** The zone of an IANA name, in any case; undefined for an unknown name. Offsets such as "+02:00" are no names. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (!/^[a-z]/i.test(name) || name.length > zoneNameCharactersMax) return undefined;
  const folded = name.toLowerCase();
  const known = zones.get(folded);
  if (known !== undefined) return known;
  const zone = openTimeZone(name);
  if (zone !== undefined) zones.set(folded, zone);
  return zone;
}

let zoneNames: readonly string[] | undefined;

/** The IANA name that a misspelled one most likely means; undefined when none is near. */
export function nearestTimeZone(name: string): string | undefined {
  zoneNames ??= Intl.supportedValuesOf("timeZone");
  return nearestName(name, zoneNames);
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

/** The offsets that the clock has from one instant to another, ascending; the first begins at `from`. */
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
    offsetAt: (instant) => transitions[Math.max(0, lastAtOrBefore(transitions, instant))]?.offsetMs ?? 0,
  };
}

function beginningIn(name: string): Temporal.ZonedDateTime | undefined {
  try {
    return Temporal.Instant.fromEpochMilliseconds(transitionsFrom).toZonedDateTimeISO(name);
  } catch {
    // A RangeError is how the runtime says that it does not know the name.
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

/** The index of the last transition at or before the instant; -1 for none. */
function lastAtOrBefore(transitions: readonly ClockOffset[], instant: number): number {
  let low = 0;
  let high = transitions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((transitions[middle]?.from ?? Number.POSITIVE_INFINITY) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
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
