import { dayMs, hourMs } from "../base/time.ts";

/** A number of each hour, day or month of a stretch. */

/** What the API answers for one of them. */
type SeriesRow = {
  start?: string;
  clicks: number;
  visitors?: number | undefined;
  previous?: { start?: string; clicks: number; visitors?: number | undefined } | undefined;
};

/** What a report counts: clicks, or the visitors who made them. */
export type Metric = "clicks" | "visitors";
/** How far the points of a series are apart. */
export type Unit = "hour" | "day" | "month";

/** One of them; `before` is the one in its place of the stretch before, where that was asked for. */
export type Point = { start: number; value: number; before: { start: number; value: number } | undefined };

/** Points in the order of the rows; rows without a start, which are of no series, are left out. */
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

/** The number asked about; visitors are there when they were asked for. */
export function numberOf(
  { clicks, visitors }: { clicks: number; visitors?: number | undefined },
  metric: Metric,
): number {
  return metric === "visitors" ? (visitors ?? 0) : clicks;
}

/** What the points are apart. A change of clocks makes days of 23 and 25 hours; a single point is a day unless said. */
export function unitOf(points: readonly Pick<Point, "start">[], single: Unit = "day"): Unit {
  const [first, second] = points;
  if (first === undefined || second === undefined) return single;
  const hours = (second.start - first.start) / hourMs;
  if (hours <= 1) return "hour";
  return hours <= 25 ? "day" : "month";
}

/** Whether a point's hour, day or month is not over yet. */
export function isRunning(points: readonly Pick<Point, "start">[], index: number, now: number): boolean {
  if (index < points.length - 1) return false;
  const last = points[index];
  const lengths = { hour: hourMs, day: dayMs, month: 28 * dayMs };
  return last !== undefined && now - last.start < lengths[unitOf(points)];
}

/** Where the axis has its lines: whole numbers from 0, the last one at or above the greatest; about four of them. */
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

/** Which points have a label below them, so that each has room: every so many, from the first. */
export function labelledPoints(points: number, roomFor: number): number[] {
  if (points === 0) return [];
  const every = Math.max(1, Math.ceil(points / Math.max(1, roomFor)));
  return Array.from({ length: Math.ceil(points / every) }, (_, index) => index * every);
}
