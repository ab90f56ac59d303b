import type { Interval } from "../../../src/analytics/interval.ts";
import { dayMs, minuteMs } from "../../../src/base/time.ts";
import { PlainClock, type Unit } from "./clock.ts";
import type { Ask, Border } from "./questions.ts";

/** A range of time and the starts of its buckets; the first bucket may begin before the range. */
export type PlainRange = { from: number; to: number; starts: number[] };

const clocks = new Map<string, PlainClock>();

/** The clock of a zone, computed once. */
export function clockOf(zone: string): PlainClock {
  const clock = clocks.get(zone) ?? new PlainClock(zone);
  clocks.set(zone, clock);
  return clock;
}

/** The range of a question; undefined if its start is not before its end. */
export function plainRange(ask: Ask, now: number): (PlainRange & { unit: Unit }) | undefined {
  const clock = clockOf(ask.zone);
  const [from, to, usualUnit] = orderedBorders(ask, clock, now);
  const { unit = usualUnit } = ask;
  return from < to ? { from, to, unit, starts: clock.startsIn(unit, from, to) } : undefined;
}

/**
 * The period before a range; undefined for a range that begins with the workspace. While the range is running, the
 * period ends as far into its last bucket as now is into the current bucket.
 */
export function plainRangeBefore(ask: Ask, range: PlainRange & { unit: Unit }, now: number): PlainRange | undefined {
  if (ask.start === undefined && (ask.end !== undefined || ask.interval === "all")) return undefined;
  const whole = plainPeriodBefore(ask, range);
  if (now >= range.to) return whole;
  if (now <= range.from) return { from: whole.from, to: whole.from, starts: [whole.from] };
  const begun = range.starts.filter((start) => start <= now);
  const starts = whole.starts.slice(0, begun.length);
  const isShorter = starts.length < begun.length;
  const sameProgress = (starts.at(-1) ?? 0) + now - (begun.at(-1) ?? 0);
  return {
    from: whole.from,
    to: isShorter ? whole.to : Math.min(sameProgress, whole.starts[begun.length] ?? whole.to),
    starts,
  };
}

const calendarCompared = new Map<Interval, [Unit, number]>([
  ["today", ["day", 1]],
  ["yesterday", ["day", 1]],
  ["wtd", ["week", 1]],
  ["last_week", ["week", 1]],
  ["mtd", ["month", 1]],
  ["last_month", ["month", 1]],
  ["qtd", ["month", 3]],
  ["last_quarter", ["month", 3]],
  ["ytd", ["month", 12]],
  ["1y", ["month", 13]],
]);

/** The previous day, week, month, quarter or year; else the same number of whole buckets; else the same length of time. */
function plainPeriodBefore(ask: Ask, { from, to, unit, starts }: PlainRange & { unit: Unit }): PlainRange {
  const clock = clockOf(ask.zone);
  const calendar = ask.start === undefined ? calendarCompared.get(ask.interval) : undefined;
  if (calendar !== undefined) {
    const [calendarUnit, count] = calendar;
    const first = clock.start(calendarUnit, from, -count);
    return { from: first, to: from, starts: clock.startsIn(unit, first, from) };
  }
  const isWhole = from === starts[0] && clock.start(unit, to) === to;
  if (isWhole) {
    const first = clock.start(unit, from, -starts.length);
    return { from: first, to: from, starts: clock.startsIn(unit, first, from) };
  }
  return { from: from - (to - from), to: from, starts: starts.map((start) => start - (to - from)) };
}

/** Swaps the borders if the start is after the end. */
function orderedBorders(ask: Ask, clock: PlainClock, now: number): ReturnType<typeof bordersOf> {
  const borders = bordersOf(ask, clock, now);
  const { start, end } = ask;
  if (borders[0] < borders[1] || start === undefined || end === undefined) return borders;
  return bordersOf({ ...ask, start: end, end: start }, clock, now);
}

function bordersOf(ask: Ask, clock: PlainClock, now: number): [from: number, to: number, unit: Unit] {
  const { createdAt, clicks } = ask.workspace;
  const earliest = clicks.reduce((first, { time }) => Math.min(first, time), createdAt);
  if (ask.start !== undefined || ask.end !== undefined) {
    const from = ask.start === undefined ? earliest : borderInstant(ask.start, clock, "start");
    if (ask.end !== undefined) {
      const to = borderInstant(ask.end, clock, "end");
      return [from, to, unitOf(to - from)];
    }
    const unit = unitOf(now - from);
    return [from, clock.start(unit === "hour" ? "hour" : "day", now, 1), unit];
  }
  const tomorrow = clock.start("day", now, 1);
  const month = new Date(clock.wallAt(now)).getUTCMonth();
  switch (ask.interval) {
    case "24h":
      return [clock.start("hour", now - dayMs), clock.start("hour", now, 1), "hour"];
    case "today":
      return [clock.start("day", now), clock.start("hour", now, 1), "hour"];
    case "yesterday":
      return [clock.start("day", now, -1), clock.start("day", now), "hour"];
    case "wtd":
      return [clock.start("week", now), tomorrow, "day"];
    case "last_week":
      return [clock.start("week", now, -1), clock.start("week", now), "day"];
    case "last_month":
      return [clock.start("month", now, -1), clock.start("month", now), "day"];
    case "last_quarter":
      return [clock.start("month", now, -(month % 3) - 3), clock.start("month", now, -(month % 3)), "day"];
    case "7d":
      return [clock.start("day", now, -7), tomorrow, "day"];
    case "30d":
      return [clock.start("day", now, -30), tomorrow, "day"];
    case "90d":
      return [clock.start("day", now, -90), tomorrow, "day"];
    case "1y":
      return [clock.start("month", now, -12), tomorrow, "month"];
    case "mtd":
      return [clock.start("month", now), tomorrow, "day"];
    case "qtd":
      return [clock.start("month", now, -(month % 3)), tomorrow, "day"];
    case "ytd":
      return [clock.start("month", now, -month), tomorrow, "month"];
    case "all": {
      const unit = unitOf(tomorrow - earliest);
      return [clock.start(unit, earliest), tomorrow, unit];
    }
  }
}

function unitOf(length: number): Unit {
  if (length <= 2 * dayMs) return "hour";
  return length <= 180 * dayMs ? "day" : "month";
}

/** The first instant that a start includes, or that an end excludes. */
function borderInstant({ date, clock: written }: Border, clock: PlainClock, side: "start" | "end"): number {
  if (written === undefined) return clock.firstAt(side === "start" ? date : date + dayMs);
  const wall = date + (written.hour * 60 + written.minute) * minuteMs;
  const minute = written.offset === undefined ? clock.firstAt(wall) : wall - written.offset * minuteMs;
  const namesSeconds = written.seconds !== undefined && Number(written.seconds) > 0;
  return side === "end" && namesSeconds ? minute + minuteMs : minute;
}
