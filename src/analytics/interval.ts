/**
 * Resolves the period of a report and its buckets.
 *
 * 1. A period is half open: it includes `from` and excludes `to`.
 * 2. An interval begins at the start of its first bucket and ends at the end of the current hour or day, so that a
 *    timeseries, a grouping and a count of the same interval have the same sum. So 24h covers the current hour and the
 *    24 hours before it, 7d today and the 7 days before it.
 * 3. A custom period keeps its own boundaries, which may cut its first and last bucket; the three sums still agree.
 */
import { invalid } from "../base/problem.ts";
import { dayMs, hourMs, isoTime, minuteMs } from "../base/time.ts";
import type { ClickRow } from "../clicks/query.ts";
import {
  type BucketUnit,
  findTimeZone,
  firstInstant,
  lastAtOrBefore,
  nearestTimeZone,
  nextStart,
  startOf,
  type TimeZone,
} from "./time-zone.ts";

/** The named intervals of a report. */
export const intervals = ["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"] as const;
export type Interval = (typeof intervals)[number];

/** The default interval. */
export const intervalDefault = "30d" satisfies Interval;

/** The parameters of a period. A custom start or end is used as written and overrides the interval. */
export type RangeInput = {
  interval: Interval;
  start?: string | undefined;
  end?: string | undefined;
  /** An IANA name; UTC by default. */
  timezone?: string | undefined;
};

/** The current time, and the start of `all`. */
type RangeInstants = {
  now: number;
  /** The start of `all`. */
  earliest: number;
};

/** The period of a report; instants in milliseconds, and in ISO 8601 for the response. */
export type Range = {
  interval: Interval | "custom";
  from: number;
  to: number;
  start: string;
  end: string;
  unit: BucketUnit;
  zone: TimeZone;
};

/** One point of a timeseries. */
export type Bucket = { start: string; clicks: number; visitors?: number };

/** The longest periods counted by hour and by day; longer ones are counted by month. */
const daysByHourMax = 2;
const daysByDayMax = 180;

const yearMin = 1970;
const yearMax = 2099;
/** The most buckets of a period: the months of all years that a period may cover. */
export const bucketsMax = (yearMax - yearMin + 1) * 12 + 1;

/** TABLE of intervals in days: the number of days before the current one. */
const daysBefore = { "7d": 7, "30d": 30, "90d": 90 } as const;

/** True if the period depends on the workspace's first click. */
export function needsEarliest({ interval, start, end }: RangeInput): boolean {
  return start === undefined && (end !== undefined || interval === "all");
}

/**
 * Resolves the parameters into a period. Without an end, it reaches to the end of the current hour or day; without a
 * start, it begins where `all` begins. A reversed start and end are swapped.
 * Throws "unprocessable_entity" for a malformed start or end, an unknown time zone, and an empty period.
 */
export function resolveRange(input: RangeInput, instants: RangeInstants): Range {
  const zone = readTimeZone(input.timezone ?? "UTC");
  if (input.start !== undefined || input.end !== undefined) return customRange(input, instants, zone);
  const { interval } = input;
  const { now, earliest } = instants;
  switch (interval) {
    case "24h":
      return range(interval, startOf("hour", now - dayMs, zone), endOf("hour", now, zone), "hour", zone);
    case "7d":
    case "30d":
    case "90d":
      return range(interval, dayBefore(daysBefore[interval], now, zone), endOf("day", now, zone), "day", zone);
    case "1y":
      return range(interval, startOfMonth(now, 12, zone), endOf("day", now, zone), "month", zone);
    case "mtd":
      return range(interval, startOfMonth(now, 0, zone), endOf("day", now, zone), "day", zone);
    case "qtd":
      return range(interval, startOfMonth(now, monthOf(now, zone) % 3, zone), endOf("day", now, zone), "day", zone);
    case "ytd":
      return range(interval, startOfMonth(now, monthOf(now, zone), zone), endOf("day", now, zone), "month", zone);
    case "all": {
      const to = endOf("day", now, zone);
      const from = Math.min(earliest, now);
      const unit = unitFor(from, to);
      return range(interval, startOf(unit, from, zone), to, unit, zone);
    }
  }
}

/** The starts of the buckets of a period, ascending. A custom period may begin after the first start. */
export function bucketStarts({ from, to, unit, zone }: Pick<Range, "from" | "to" | "unit" | "zone">): number[] {
  const starts: number[] = [];
  for (let start = startOf(unit, from, zone); start < to; start = nextStart(unit, start, zone)) {
    if (starts.length === bucketsMax)
      throw new Error(`From ${from} to ${to} there are more than ${bucketsMax} ${unit}s.`);
    starts.push(start);
  }
  return starts;
}

/** A period and the starts of its buckets. */
export type Period = { from: number; to: number; starts: number[] };

/** TABLE of the intervals that are compared with the whole calendar months before them, and the number of months. */
const monthsCompared: Partial<Record<Range["interval"], number>> = { mtd: 1, qtd: 3, ytd: 12, "1y": 13 };

/**
 * The previous period of a comparison. It ends after the same elapsed time, so that a running hour, day or month is
 * compared with the same part of another one, never with a whole one.
 *
 * - `mtd`, `qtd` and `ytd` are compared with the same days of the previous month, quarter or year; if that is shorter,
 *   with all of it. `1y`, which has 13 months, is compared with the 13 months before.
 * - Other periods of whole buckets are compared with the same number of buckets before them.
 * - A custom period that cuts a bucket is compared with the same length of time before it.
 *
 * Shape: its buckets correspond one by one to those of the current period; future buckets have no counterpart.
 */
export function previousPeriod(current: Omit<Range, "start" | "end">, now: number): Period {
  const starts = bucketStarts(current);
  const previous = wholePeriodBefore(current, starts);
  if (now >= current.to) return previous;
  if (now <= current.from) return { from: previous.from, to: previous.from, starts: [previous.from] };
  const running = lastAtOrBefore(starts, now, Number);
  const start = previous.starts[running];
  const elapsed = now - (starts[running] ?? now);
  const end = previous.starts[running + 1] ?? previous.to;
  return {
    from: previous.from,
    to: start === undefined ? previous.to : Math.min(start + elapsed, end),
    starts: previous.starts.slice(0, running + 1),
  };
}

function wholePeriodBefore(
  { interval, from, to, unit, zone }: Omit<Range, "start" | "end">,
  starts: readonly number[],
): Period {
  const months = monthsCompared[interval];
  if (months !== undefined) {
    const previous = { from: startOfMonth(from, months, zone), to: from };
    return { ...previous, starts: bucketStarts({ ...previous, unit, zone }) };
  }
  const last = starts.at(-1) ?? from;
  if (starts[0] !== from || nextStart(unit, last, zone) !== to) {
    const length = to - from;
    return { from: from - length, to: from, starts: starts.map((start) => start - length) };
  }
  const before: number[] = [];
  for (let start = from; before.length < starts.length; before.unshift(start)) start = startOf(unit, start - 1, zone);
  return { from: before[0] ?? from, to: from, starts: before };
}

/** TABLE of slot lengths for store queries, longest first. Today all time zone offsets are multiples of 15 minutes. */
const slotLengths = [dayMs, hourMs, 15 * minuteMs] as const;

/** The longest slot that no boundary between two buckets cuts. */
export function slotMsFor(starts: readonly number[]): number {
  const borders = starts.slice(1);
  return slotLengths.find((length) => borders.every((boundary) => boundary % length === 0)) ?? minuteMs;
}

/** Adds up slots into buckets; every bucket is present, zeros included. */
export function foldSlots(rows: readonly ClickRow[], slotMs: number, starts: readonly number[]): Bucket[] {
  const buckets: Bucket[] = starts.map((start) => ({ start: isoTime(start), clicks: 0 }));
  for (const { value, clicks } of rows) {
    // A custom period may begin within a slot, which then begins before the first bucket.
    const bucket = buckets[Math.max(0, lastAtOrBefore(starts, Number(value) * slotMs, Number))];
    if (bucket !== undefined) bucket.clicks += clicks;
  }
  return buckets;
}

function readTimeZone(name: string): TimeZone {
  const zone = findTimeZone(name);
  if (zone !== undefined) return zone;
  const nearest = nearestTimeZone(name);
  throw nearest === undefined
    ? invalid("timezone", "must be an IANA time zone such as Europe/Berlin.")
    : invalid("timezone", `must be an IANA time zone; the nearest is ${nearest}.`);
}

function customRange({ start, end }: RangeInput, { now, earliest }: RangeInstants, zone: TimeZone): Range {
  const first = start === undefined ? undefined : readBoundary("start", start, zone);
  const last = end === undefined ? undefined : readBoundary("end", end, zone);
  const from = first?.from ?? Math.min(earliest, now);
  if (last === undefined) {
    const unit = unitFor(from, now);
    return ascending("custom", from, endOf(unit === "hour" ? "hour" : "day", now, zone), unit, zone);
  }
  const isReversed = first !== undefined && first.from >= last.to;
  const [begin, to] = isReversed ? [last.from, first.to] : [from, last.to];
  return ascending("custom", begin, to, unitFor(begin, to), zone);
}

/**
 * A custom boundary in its two meanings: the first included instant of a start, and the first excluded instant of an
 * end.
 */
type Boundary = { from: number; to: number };

const boundaryPattern =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<seconds>\d{2}(?:\.\d{1,9})?))?(?<offset>Z|[-+ ]\d{2}:?\d{2})?)?$/i;

/** A date means the whole day. A date-time is exact to the minute; with seconds it means that whole minute. */
function readBoundary(field: "start" | "end", text: string, zone: TimeZone): Boundary {
  const { day = "", hour, minute, seconds = "0", offset } = boundaryPattern.exec(text.trim())?.groups ?? {};
  const date = Date.parse(`${day}T00:00:00.000Z`);
  // Date.parse reads the 31st of a shorter month as a day of the next month.
  if (Number.isNaN(date) || !isoTime(date).startsWith(day)) throw malformed(field);
  if (date < Date.UTC(yearMin, 0) || date >= Date.UTC(yearMax + 1, 0)) throw malformed(field);
  if (hour === undefined) return { from: firstInstant(date, zone), to: firstInstant(date + dayMs, zone) };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(seconds) >= 60) throw malformed(field);
  const wall = date + Number(hour) * hourMs + Number(minute) * minuteMs;
  const from = offset === undefined ? firstInstant(wall, zone) : wall - readOffset(offset);
  return { from, to: Number(seconds) === 0 ? from : from + minuteMs };
}

/** Milliseconds east of Greenwich. A plus sign that the client did not encode arrives as a space. */
function readOffset(text: string): number {
  if (text.toUpperCase() === "Z") return 0;
  const digits = text.replace(/\D/g, "");
  const size = Number(digits.slice(0, 2)) * hourMs + Number(digits.slice(2)) * minuteMs;
  return text.startsWith("-") ? -size : size;
}

function malformed(field: "start" | "end") {
  return invalid(
    field,
    `must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from ${yearMin} to ${yearMax}.`,
  );
}

function ascending(...parts: Parameters<typeof range>): Range {
  const [, from, to] = parts;
  if (from >= to) throw invalid("start", "must be before end, or before now if there is no end.");
  return range(...parts);
}

function range(interval: Range["interval"], from: number, to: number, unit: BucketUnit, zone: TimeZone): Range {
  return { interval, from, to, start: isoTime(from), end: isoTime(to), unit, zone };
}

function unitFor(from: number, to: number): BucketUnit {
  const days = (to - from) / dayMs;
  if (days <= daysByHourMax) return "hour";
  return days <= daysByDayMax ? "day" : "month";
}

function endOf(unit: BucketUnit, instant: number, zone: TimeZone): number {
  return nextStart(unit, startOf(unit, instant, zone), zone);
}

/** The start of the day `days` dates before the current one, regardless of their lengths. */
function dayBefore(days: number, now: number, zone: TimeZone): number {
  const wall = now + zone.offsetAt(now);
  return firstInstant(Math.floor(wall / dayMs - days) * dayMs, zone);
}

/** The start of the month `monthsBefore` before the current one. */
function startOfMonth(now: number, monthsBefore: number, zone: TimeZone): number {
  const date = new Date(now + zone.offsetAt(now));
  return firstInstant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsBefore, 1), zone);
}

/** The current month's number, from 0 to 11. */
function monthOf(now: number, zone: TimeZone): number {
  return new Date(now + zone.offsetAt(now)).getUTCMonth();
}
