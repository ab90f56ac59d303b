/**
 * Resolves the period with which a report is compared.
 *
 * 1. While the report's period is running, the compared one ends after the same elapsed time, so that a running hour,
 *    day or month is compared with the same part of another one, never with a whole one.
 * 2. The unit of the buckets never changes the compared period.
 */
import { invalid } from "../base/problem.ts";
import { dayMs } from "../base/time.ts";
import { bucketStarts, firstBucketStarts, type Interval, type Range } from "./interval.ts";
import { readBoundary } from "./period-boundary.ts";
import { firstInstant, lastAtOrBefore, nextStart, startOf, startOfLater } from "./time-zone.ts";

/** The periods that a report can be compared with. */
export const comparisons = ["previous", "year", "custom"] as const;
type Comparison = (typeof comparisons)[number];

/** The parameters of a comparison; the boundaries belong to `custom`, which needs both. */
export type ComparisonInput = {
  compare?: Comparison | undefined;
  compareStart?: string | undefined;
  compareEnd?: string | undefined;
};

/**
 * A compared period, and the starts of its buckets, which correspond one by one to those of the report. A longer period
 * has more of them, a shorter one fewer.
 */
export type Period = { from: number; to: number; starts: number[] };

type Current = Omit<Range, "start" | "end">;
type Span = { from: number; to: number };

/**
 * Resolves the compared period; undefined without a comparison. Throws "unprocessable_entity" for malformed, missing
 * and superfluous boundaries.
 */
export function comparedPeriod(current: Current, input: ComparisonInput, now: number): Period | undefined {
  if (input.compare !== "custom") refuseBoundaries(input);
  switch (input.compare) {
    case undefined:
      return undefined;
    case "previous": {
      const previous = previousPeriod(current, now);
      return current.unit === current.usualUnit ? previous : withBuckets(previous, current);
    }
    case "year":
      return yearBefore(current, now);
    case "custom":
      return withBuckets(cutLikeCurrent(customSpan(input, current), current, now), current);
  }
}

function refuseBoundaries({ compareStart, compareEnd }: ComparisonInput): void {
  if (compareStart !== undefined) throw invalid("compareStart", "requires compare=custom.");
  if (compareEnd !== undefined) throw invalid("compareEnd", "requires compare=custom.");
}

/** TABLE of the intervals that are compared with the calendar period before them, and its length. */
const calendarPeriods: Partial<Record<Range["interval"], [count: number, unit: "day" | "week" | "month"]>> = {
  today: [1, "day"],
  yesterday: [1, "day"],
  wtd: [1, "week"],
  last_week: [1, "week"],
  mtd: [1, "month"],
  last_month: [1, "month"],
  qtd: [3, "month"],
  last_quarter: [3, "month"],
  ytd: [12, "month"],
  "1y": [13, "month"],
};

/**
 * The previous period.
 *
 * - `today`, `wtd`, `mtd`, `qtd` and `ytd` are compared with the same part of the previous day, week, month, quarter or
 *   year; if that is shorter, with all of it. `yesterday`, `last_week`, `last_month` and `last_quarter` are compared with
 *   the whole one before. `1y`, which has 13 months, is compared with the 13 months before.
 * - Other periods of whole buckets are compared with the same number of buckets before them.
 * - A custom period that cuts a bucket is compared with the same length of time before it.
 *
 * Shape: the buckets have the usual unit. While the period is running, future buckets have no counterpart.
 */
export function previousPeriod(current: Current, now: number): Period {
  const usual = { ...current, unit: current.usualUnit };
  const starts = bucketStarts(usual);
  const previous = wholePeriodBefore(usual, starts);
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

function wholePeriodBefore({ interval, from, to, unit, zone }: Current, starts: readonly number[]): Period {
  const [count, calendarUnit] = calendarPeriods[interval] ?? [0, "day"];
  if (count > 0) {
    const previous = { from: startOfLater(calendarUnit, from, -count, zone), to: from };
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

/** Weeks are compared with the week 52 weeks earlier, so that the same weekdays correspond. */
const weekIntervals: readonly Range["interval"][] = ["wtd", "last_week"] satisfies Interval[];
const daysPerYearOfWeeks = 52 * 7;

/** The same dates of the year before; February 29 corresponds to February 28. */
function yearBefore(current: Current, now: number): Period {
  const { interval, from, to, unit } = current;
  const back = weekIntervals.includes(interval) ? weeksBack : yearBack;
  const until = Math.min(to, Math.max(from, now));
  const start = back(from, current);
  const span = { from: start, to: until === from ? start : endBack(until, current, back) };
  // Two hours or days may correspond to one, where the clock is set back or in a leap year.
  if (unit === "hour" || unit === "day") return withBuckets(span, current);
  const starts = borders(current).map((border) => back(border, current));
  return { ...span, starts: startsBefore(span, starts) };
}

/**
 * The end that corresponds to an end. After a whole day, it is the end of the day before the year: the day after
 * February 28 may be February 29, whose counterpart begins before that end.
 */
function endBack(end: number, current: Current, back: typeof yearBack): number {
  const { zone } = current;
  if (startOf("day", end, zone) !== end) return back(end, current);
  return startOfLater("day", back(startOf("day", end - 1, zone), current), 1, zone);
}

function weeksBack(instant: number, { zone }: Current): number {
  return firstInstant(instant + zone.offsetAt(instant) - daysPerYearOfWeeks * dayMs, zone);
}

function yearBack(instant: number, { zone }: Current): number {
  const wall = instant + zone.offsetAt(instant);
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear() - 1, date.getUTCMonth()];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay));
  return firstInstant(midnight + (wall - Math.floor(wall / dayMs) * dayMs), zone);
}

function customSpan({ compareStart, compareEnd }: ComparisonInput, { zone }: Current): Span {
  if (compareStart === undefined) throw invalid("compareStart", "is required with compare=custom.");
  if (compareEnd === undefined) throw invalid("compareEnd", "is required with compare=custom.");
  const first = readBoundary("compareStart", compareStart, zone);
  const last = readBoundary("compareEnd", compareEnd, zone);
  const span = first.from < last.to ? { from: first.from, to: last.to } : { from: last.from, to: first.to };
  if (span.from >= span.to) throw invalid("compareStart", "must be before compareEnd.");
  return span;
}

function cutLikeCurrent(span: Span, { from, to, zone }: Current, now: number): Span {
  if (now >= to) return span;
  if (now <= from) return { from: span.from, to: span.from };
  const elapsed = now + zone.offsetAt(now) - from - zone.offsetAt(from);
  const end = firstInstant(span.from + zone.offsetAt(span.from) + elapsed, zone);
  return { from: span.from, to: Math.max(span.from, Math.min(span.to, end)) };
}

/** Divides a compared period by the unit of the report: weeks and months are cut on the same days as the report's. */
function withBuckets({ from, to }: Span, current: Current): Period {
  const { unit, zone } = current;
  const shown = borders(current);
  const starts =
    unit === "hour" || unit === "day"
      ? firstBucketStarts({ from, to, unit, zone }, shown.length)
      : shown.map((border) => shiftedByDays(border, { from: current.from, to: from }, current));
  return { from, to, starts: startsBefore({ from, to }, starts) };
}

/** The starts of a period's buckets, and the start of the bucket after them. */
function borders(current: Current): number[] {
  const starts = bucketStarts(current);
  return [...starts, nextStart(current.unit, starts.at(-1) ?? current.from, current.zone)];
}

/** An empty period has one empty bucket. */
function startsBefore({ from, to }: Span, starts: readonly number[]): number[] {
  const begun = starts.filter((start) => start < to);
  return begun.length === 0 ? [from] : begun;
}

function shiftedByDays(instant: number, { from, to }: Span, { zone }: Current): number {
  const days = dayOf(to, zone) - dayOf(from, zone);
  return firstInstant((dayOf(instant, zone) + days) * dayMs, zone);
}

function dayOf(instant: number, { offsetAt }: Current["zone"]): number {
  return Math.floor((instant + offsetAt(instant)) / dayMs);
}
