import { dayMs, hourMs, weekMs } from "../base/time.ts";
import { type Unit, units } from "./search.ts";

/** A series: one number per hour, day, week or month of a period. */

/** A row of a series, as the API returns it. */
type SeriesRow = {
  start?: string;
  clicks: number;
  visitors?: number | undefined;
  previous?: { start?: string; clicks: number; visitors?: number | undefined } | undefined;
};

/** The metric of a report: clicks, or the visitors who made them. */
export type Metric = "clicks" | "visitors";

/** A point; `before` is the corresponding one of the previous period, if it was requested. */
export type Point = { start: number; value: number; before: { start: number; value: number } | undefined };

/** Converts rows to points in the same order; rows without a start are left out. */
export function pointsOf(rows: readonly SeriesRow[], metric: Metric): Point[] {
  return rows.flatMap(({ start, previous, ...numbers }) => {
    if (start === undefined) return [];
    const before =
      previous?.start === undefined
        ? undefined
        : { start: Date.parse(previous.start), value: numberOf(previous, metric) };
    return [{ start: Date.parse(start), value: numberOf(numbers, metric), before }];
  });
}

/** The metric of a row; visitors are only present when requested. */
export function numberOf(
  { clicks, visitors }: { clicks: number; visitors?: number | undefined },
  metric: Metric,
): number {
  return metric === "visitors" ? (visitors ?? 0) : clicks;
}

/** The unit of a series. Changes to summer time make days of 23 and 25 hours. A single point is a day by default. */
export function unitOf(points: readonly Pick<Point, "start">[], single: Unit = "day"): Unit {
  const [first, second] = points;
  if (first === undefined || second === undefined) return single;
  const hours = (second.start - first.start) / hourMs;
  if (hours <= 1) return "hour";
  if (hours <= 25) return "day";
  return hours <= weekHoursMax ? "week" : "month";
}

/** A week in which the clock is set back. */
const weekHoursMax = 7 * 24 + 1;

/** The length of each unit; of a month, the shortest. */
const unitMs: Record<Unit, number> = { hour: hourMs, day: dayMs, week: weekMs, month: 28 * dayMs };

/** The most points that a chart shows; the API has a higher limit. */
const pointsMax = 1_000;

/** The units that divide a period into two points or more, and not into too many. */
export function unitsFor({ from, to }: { from: number; to: number }): Unit[] {
  return units.filter((unit) => (to - from) / unitMs[unit] > 1 && (to - from) / unitMs[unit] <= pointsMax);
}

/** True while a point's hour, day, week or month has not ended. */
export function isRunning(
  { points, unit }: { points: readonly Pick<Point, "start">[]; unit: Unit },
  index: number,
  now: number,
): boolean {
  if (index < points.length - 1) return false;
  const last = points[index];
  return last !== undefined && now - last.start < unitMs[unit];
}

/** The grid lines of an axis: about four whole numbers from 0, the last at or above the maximum. */
export function axisOf(max: number): number[] {
  const rough = Math.max(1, max / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough && each % 1 === 0) ?? 10 * power,
  );
  const lines: number[] = [];
  for (let line = 0; line < max + step && lines.length < 6; line += step) lines.push(line);
  return lines.length > 1 ? lines : [0, 1];
}

/** The indexes of the points with a label, evenly spaced from the first. */
export function labelledPoints(points: number, roomFor: number): number[] {
  if (points === 0) return [];
  const every = Math.max(1, Math.ceil(points / Math.max(1, roomFor)));
  return Array.from({ length: Math.ceil(points / every) }, (_, index) => index * every);
}
