/**
 * Which stretch of time a report covers, and the buckets it is counted in.
 *
 * 1. A stretch is half open: `from` is in, `to` is out.
 * 2. An interval's start is moved down to the start of its first bucket and its end is the end of the current hour or
 *    day, so that a timeseries, a grouping and a count over the same interval have the same sum. Hence 24h covers the
 *    current hour and the 24 before it, 7d today and the 7 days before it.
 * 3. A custom stretch keeps its own borders, which may cut its first and last bucket; the three still have one sum.
 */
import { invalid } from "../base/problem.ts";
import { dayMs, hourMs, isoTime, minuteMs } from "../base/time.ts";
import type { ClickRow } from "../clicks/query.ts";
import {
  type BucketUnit,
  findTimeZone,
  firstInstant,
  nearestTimeZone,
  nextStart,
  startOf,
  type TimeZone,
} from "./time-zone.ts";

/** The intervals that a report can be asked for by name. */
export const intervals = ["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"] as const;
export type Interval = (typeof intervals)[number];

/** The interval of a question that names none. */
export const intervalDefault = "30d" satisfies Interval;

/** What a caller asks for. Custom borders are as written; either of them wins over the interval. */
export type RangeInput = {
  interval: Interval;
  start?: string | undefined;
  end?: string | undefined;
  /** An IANA name; UTC when absent. */
  timezone?: string | undefined;
};

/** The moments a question is answered at. */
type RangeInstants = {
  now: number;
  /** What `all` begins at. */
  earliest: number;
};

/** The stretch of time a report covers; instants in milliseconds, and as ISO 8601 for the answer. */
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

/** Stretches up to so many days are counted by hour, and by day; longer ones by month. */
const daysByHourMax = 2;
const daysByDayMax = 180;

const yearMin = 1970;
const yearMax = 2099;
/** The most buckets of a stretch: its months, when it covers every year that can be asked for. */
export const bucketsMax = (yearMax - yearMin + 1) * 12 + 1;

/** TABLE of days before the current one that an interval of days covers. */
const daysBefore = { "7d": 7, "30d": 30, "90d": 90 } as const;

/** Whether the answer depends on when the workspace began. */
export function needsEarliest({ interval, start, end }: RangeInput): boolean {
  return start === undefined && (end !== undefined || interval === "all");
}

/**
 * The stretch of time that is asked for. A start alone reaches to the end of the current hour or day; an end alone
 * begins where `all` begins.
 * Where start and end are reversed, they are swapped.
 * Throws "unprocessable_entity" for a start or end that is unreadable, for an unknown time zone, and for a period
 * without any time in it.
 */
export function resolveRange(question: RangeInput, moments: RangeInstants): Range {
  const zone = readTimeZone(question.timezone ?? "UTC");
  if (question.start !== undefined || question.end !== undefined) return customRange(question, moments, zone);
  const { interval } = question;
  const { now, earliest } = moments;
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

/** The starts of the buckets of a stretch, ascending. A custom stretch may begin behind the first of them. */
export function bucketStarts({ from, to, unit, zone }: Pick<Range, "from" | "to" | "unit" | "zone">): number[] {
  const starts: number[] = [];
  for (let start = startOf(unit, from, zone); start < to; start = nextStart(unit, start, zone)) {
    if (starts.length === bucketsMax)
      throw new Error(`From ${from} to ${to} there are more than ${bucketsMax} ${unit}s.`);
    starts.push(start);
  }
  return starts;
}

/** A stretch of time and the starts of its buckets. */
export type Period = { from: number; to: number; starts: number[] };

/** TABLE of the intervals that are compared with whole calendar months right before, and how many those are. */
const monthsCompared: Partial<Record<Range["interval"], number>> = { mtd: 1, qtd: 3, ytd: 12, "1y": 13 };

/**
 * The period that another one is compared with. It ends at the same elapsed moment, so that a running hour, day or
 * month is compared with the same part of one, never with a whole one.
 *
 * - `mtd`, `qtd` and `ytd` are compared with the same days of the previous month, quarter or year; a shorter one is
 *   compared whole. `1y`, which has 13 months, is compared with the 13 before.
 * - Other periods of whole buckets are compared with as many buckets right before.
 * - A custom period that cuts a bucket is compared with the same length of time right before.
 *
 * Shape: bucket by bucket beside the current period; buckets that have not begun have none beside them.
 */
export function previousPeriod(current: Omit<Range, "start" | "end">, now: number): Period {
  const starts = bucketStarts(current);
  const previous = wholePeriodBefore(current, starts);
  if (now >= current.to) return previous;
  if (now <= current.from) return { from: previous.from, to: previous.from, starts: [previous.from] };
  const running = lastAtOrBefore(starts, now);
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

/** TABLE of slots that a store may group by, the coarsest first. Every present-day offset is whole quarters of an hour. */
const slotLengths = [dayMs, hourMs, 15 * minuteMs] as const;

/** The longest slot that no border between two buckets cuts. */
export function slotMsFor(starts: readonly number[]): number {
  const borders = starts.slice(1);
  return slotLengths.find((length) => borders.every((boundary) => boundary % length === 0)) ?? minuteMs;
}

/** The clicks of each bucket, from those of each slot; every bucket is there, zeros included. */
export function foldSlots(rows: readonly ClickRow[], slotMs: number, starts: readonly number[]): Bucket[] {
  const buckets: Bucket[] = starts.map((start) => ({ start: isoTime(start), clicks: 0 }));
  for (const { value, clicks } of rows) {
    // A custom stretch may begin within a slot, which then begins before the first bucket.
    const bucket = buckets[Math.max(0, lastAtOrBefore(starts, Number(value) * slotMs))];
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
  const first = start === undefined ? undefined : readBorder("start", start, zone);
  const last = end === undefined ? undefined : readBorder("end", end, zone);
  const from = first?.from ?? Math.min(earliest, now);
  if (last === undefined) {
    const unit = unitFor(from, now);
    return ascending("custom", from, endOf(unit === "hour" ? "hour" : "day", now, zone), unit, zone);
  }
  const isReversed = first !== undefined && first.from >= last.to;
  const [begin, to] = isReversed ? [last.from, first.to] : [from, last.to];
  return ascending("custom", begin, to, unitFor(begin, to), zone);
}

/** A border as written, in the two ways it can be meant: as the first moment that is in, and as the first that is out. */
type Border = { from: number; to: number };

const borderForm =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<seconds>\d{2}(?:\.\d{1,9})?))?(?<offset>Z|[-+ ]\d{2}:?\d{2})?)?$/i;

/** A date means its whole day; a date-time is exact to the minute, all of which is meant when it names seconds in it. */
function readBorder(field: "start" | "end", text: string, zone: TimeZone): Border {
  const { day = "", hour, minute, seconds = "0", offset } = borderForm.exec(text.trim())?.groups ?? {};
  const date = Date.parse(`${day}T00:00:00.000Z`);
  // Date.parse takes the 31st of any month for a day of the next one.
  if (Number.isNaN(date) || !isoTime(date).startsWith(day)) throw unreadable(field);
  if (date < Date.UTC(yearMin, 0) || date >= Date.UTC(yearMax + 1, 0)) throw unreadable(field);
  if (hour === undefined) return { from: firstInstant(date, zone), to: firstInstant(date + dayMs, zone) };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(seconds) >= 60) throw unreadable(field);
  const wall = date + Number(hour) * hourMs + Number(minute) * minuteMs;
  const from = offset === undefined ? firstInstant(wall, zone) : wall - readOffset(offset);
  return { from, to: Number(seconds) === 0 ? from : from + minuteMs };
}

/** Milliseconds east of Greenwich. A plus sign that nobody encoded arrives as a space. */
function readOffset(text: string): number {
  if (text.toUpperCase() === "Z") return 0;
  const digits = text.replace(/\D/g, "");
  const size = Number(digits.slice(0, 2)) * hourMs + Number(digits.slice(2)) * minuteMs;
  return text.startsWith("-") ? -size : size;
}

function unreadable(field: "start" | "end") {
  return invalid(
    field,
    `must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from ${yearMin} to ${yearMax}.`,
  );
}

function ascending(...parts: Parameters<typeof range>): Range {
  const [, from, to] = parts;
  if (from >= to) throw invalid("start", "must lie before end, or before now when there is no end.");
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

/** The start of a day before the current one, counted in dates, however many hours those have. */
function dayBefore(days: number, now: number, zone: TimeZone): number {
  const wall = now + zone.offsetAt(now);
  return firstInstant(Math.floor(wall / dayMs - days) * dayMs, zone);
}

/** The start of a month before the current one; 0 for the current one itself. */
function startOfMonth(now: number, monthsBefore: number, zone: TimeZone): number {
  const date = new Date(now + zone.offsetAt(now));
  return firstInstant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsBefore, 1), zone);
}

/** The current month's number, from 0 to 11. */
function monthOf(now: number, zone: TimeZone): number {
  return new Date(now + zone.offsetAt(now)).getUTCMonth();
}

function lastAtOrBefore(starts: readonly number[], instant: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((starts[middle] ?? Number.POSITIVE_INFINITY) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
