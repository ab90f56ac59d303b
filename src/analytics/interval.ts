/**
 * Resolves the period of a report and its buckets.
 *
 * 1. A period is half open: it includes `from` and excludes `to`.
 * 2. An interval begins at the start of its first bucket and ends at the end of the current hour or day, so that a
 *    timeseries, a grouping and a count of the same interval have the same sum. So 24h covers the current hour and the
 *    24 hours before it, 7d today and the 7 days before it.
 * 3. A custom period keeps its own boundaries, which may cut its first and last bucket; the three sums still agree.
 * 4. A requested unit divides the period into other buckets and does not change it.
 */
import { invalid } from "../base/problem.ts";
import { dayMs, hourMs, isoTime, minuteMs, weekMs } from "../base/time.ts";
import type { ClickRow } from "../clicks/query.ts";
import { readBoundary } from "./period-boundary.ts";
import {
  type BucketUnit,
  lastAtOrBefore,
  nextStart,
  readTimeZone,
  startOf,
  startOfLater,
  type TimeZone,
} from "./time-zone.ts";

/**
 * The named intervals of a report. Those that end in "td" (to date) and `today` are running; weeks begin on Monday.
 */
export const intervals = [
  ...(["24h", "7d", "30d", "90d", "1y"] as const),
  ...(["today", "yesterday", "wtd", "last_week", "mtd", "last_month", "qtd", "last_quarter", "ytd", "all"] as const),
] as const;
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
  /** The unit of the buckets; by default the usual one of the interval. */
  unit?: BucketUnit | undefined;
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
  /** The unit if none is requested: the period is compared by its whole hours, days or months. */
  usualUnit: BucketUnit;
  zone: TimeZone;
};

/** One point of a timeseries. */
export type Bucket = { start: string; clicks: number; visitors?: number };

/** The longest periods counted by hour and by day; longer ones are counted by month. */
const daysByHourMax = 2;
const daysByDayMax = 180;

/**
 * The most buckets of a period: enough for the months of all years that a period may cover, five years of days, or
 * eighty days of hours.
 */
export const bucketsMax = 2_000;
const unitMs = { hour: hourMs, day: dayMs, week: weekMs, month: 28 * dayMs };
/** A cut first and last bucket, and an hour in which the clock is set by half an hour. */
const cutBucketsMax = 4;

/** TABLE of intervals in days: the number of days before the current one. */
const daysBefore = { "7d": 7, "30d": 30, "90d": 90 } as const;

/** True if the period depends on the workspace's first click. */
export function needsEarliest({ interval, start, end }: RangeInput): boolean {
  return start === undefined && (end !== undefined || interval === "all");
}

/**
 * Resolves the parameters into a period. Without an end, it reaches to the end of the current hour or day; without a
 * start, it begins where `all` begins. A reversed start and end are swapped.
 * Throws "unprocessable_entity" for a malformed start or end, an unknown time zone, an empty period, and a unit with
 * more than bucketsMax buckets.
 */
export function resolveRange(input: RangeInput, instants: RangeInstants): Range {
  const zone = readTimeZone("timezone", input.timezone ?? "UTC");
  const isCustom = input.start !== undefined || input.end !== undefined;
  const period = isCustom ? customPeriod(input, instants, zone) : namedPeriod(input.interval, instants, zone);
  const { from, to, usualUnit } = period;
  const { unit = usualUnit } = input;
  if (unit !== usualUnit) requireFewBuckets(unit, to - from);
  const interval = isCustom ? "custom" : input.interval;
  return { interval, from, to, start: isoTime(from), end: isoTime(to), unit, usualUnit, zone };
}

type UsualPeriod = Pick<Range, "from" | "to" | "usualUnit">;

function namedPeriod(interval: Interval, { now, earliest }: RangeInstants, zone: TimeZone): UsualPeriod {
  const tomorrow = endOf("day", now, zone);
  const later = (unit: Exclude<BucketUnit, "hour">, units: number) => startOfLater(unit, now, units, zone);
  const month = monthOf(now, zone);
  switch (interval) {
    case "24h":
      return byHour(startOf("hour", now - dayMs, zone), endOf("hour", now, zone));
    case "today":
      return byHour(later("day", 0), endOf("hour", now, zone));
    case "yesterday":
      return byHour(later("day", -1), later("day", 0));
    case "7d":
    case "30d":
    case "90d":
      return byDay(later("day", -daysBefore[interval]), tomorrow);
    case "wtd":
      return byDay(later("week", 0), tomorrow);
    case "last_week":
      return byDay(later("week", -1), later("week", 0));
    case "mtd":
      return byDay(later("month", 0), tomorrow);
    case "last_month":
      return byDay(later("month", -1), later("month", 0));
    case "qtd":
      return byDay(later("month", -(month % 3)), tomorrow);
    case "last_quarter":
      return byDay(later("month", -(month % 3) - 3), later("month", -(month % 3)));
    case "1y":
      return { from: later("month", -12), to: tomorrow, usualUnit: "month" };
    case "ytd":
      return { from: later("month", -month), to: tomorrow, usualUnit: "month" };
    case "all": {
      const from = Math.min(earliest, now);
      const usualUnit = unitFor(from, tomorrow);
      return { from: startOf(usualUnit, from, zone), to: tomorrow, usualUnit };
    }
  }
}

function byHour(from: number, to: number): UsualPeriod {
  return { from, to, usualUnit: "hour" };
}

function byDay(from: number, to: number): UsualPeriod {
  return { from, to, usualUnit: "day" };
}

function requireFewBuckets(unit: BucketUnit, length: number): void {
  if (Math.ceil(length / unitMs[unit]) + cutBucketsMax <= bucketsMax) return;
  throw invalid("unit", `must divide the period into at most ${bucketsMax} buckets; choose a longer unit.`);
}

/** A period and the unit of its buckets. */
type BucketedPeriod = Pick<Range, "from" | "to" | "unit" | "zone">;

/** The starts of the buckets of a period, ascending. A custom period may begin after the first start. */
export function bucketStarts({ from, to, unit, zone }: BucketedPeriod): number[] {
  const starts = firstBucketStarts({ from, to, unit, zone }, bucketsMax + 1);
  if (starts.length > bucketsMax) throw new Error(`From ${from} to ${to} there are more than ${bucketsMax} ${unit}s.`);
  return starts;
}

/** The starts of the first `countMax` buckets of a period, ascending. */
export function firstBucketStarts({ from, to, unit, zone }: BucketedPeriod, countMax: number): number[] {
  const starts: number[] = [];
  for (
    let start = startOf(unit, from, zone);
    start < to && starts.length < countMax;
    start = nextStart(unit, start, zone)
  ) {
    starts.push(start);
  }
  return starts;
}

/** TABLE of interval lengths for store queries, longest first. Today all time zone offsets are multiples of 15 minutes. */
const intervalLengths = [dayMs, hourMs, 15 * minuteMs] as const;

/** The longest interval that no boundary between two buckets cuts. */
export function intervalMsFor(starts: readonly number[]): number {
  const borders = starts.slice(1);
  return intervalLengths.find((length) => borders.every((boundary) => boundary % length === 0)) ?? minuteMs;
}

/** Adds up counts by interval into buckets; every bucket is present, zeros included. */
export function sumIntoBuckets(rows: readonly ClickRow[], intervalMs: number, starts: readonly number[]): Bucket[] {
  const buckets: Bucket[] = starts.map((start) => ({ start: isoTime(start), clicks: 0 }));
  for (const { value, clicks } of rows) {
    // A custom period may begin within an interval, which then begins before the first bucket.
    const bucket = buckets[Math.max(0, lastAtOrBefore(starts, Number(value) * intervalMs, Number))];
    if (bucket !== undefined) bucket.clicks += clicks;
  }
  return buckets;
}

function customPeriod({ start, end }: RangeInput, { now, earliest }: RangeInstants, zone: TimeZone): UsualPeriod {
  const first = start === undefined ? undefined : readBoundary("start", start, zone);
  const last = end === undefined ? undefined : readBoundary("end", end, zone);
  const from = first?.from ?? Math.min(earliest, now);
  if (last === undefined) {
    const usualUnit = unitFor(from, now);
    return ascending({ from, to: endOf(usualUnit === "hour" ? "hour" : "day", now, zone), usualUnit });
  }
  const isReversed = first !== undefined && first.from >= last.to;
  const [begin, to] = isReversed ? [last.from, first.to] : [from, last.to];
  return ascending({ from: begin, to, usualUnit: unitFor(begin, to) });
}

function ascending(period: UsualPeriod): UsualPeriod {
  if (period.from < period.to) return period;
  throw invalid("start", "must be before end, or before now if there is no end.");
}

function unitFor(from: number, to: number): BucketUnit {
  const days = (to - from) / dayMs;
  if (days <= daysByHourMax) return "hour";
  return days <= daysByDayMax ? "day" : "month";
}

function endOf(unit: BucketUnit, instant: number, zone: TimeZone): number {
  return nextStart(unit, startOf(unit, instant, zone), zone);
}

/** The current month's number, from 0 to 11. */
function monthOf(now: number, zone: TimeZone): number {
  return new Date(now + zone.offsetAt(now)).getUTCMonth();
}
