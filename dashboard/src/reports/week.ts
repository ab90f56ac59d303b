import type { Row } from "./groupings.ts";
import type { Metric } from "./series.ts";
import { numberOf } from "./series.ts";

/** A week for a heat map: `days` has seven days from Monday, each with the numbers of 24 hours; `max` is the highest number. */
export type Week = { days: number[][]; max: number };

/** Columns of the heat map: hours of the clock, regardless of summer time. */
export const hoursPerDay = 24;
const daysPerWeek = 7;

/** The indexes of Week.days in display order. `firstWeekday` is the day on which a week begins, 0 for Sunday. */
export function weekdaysFrom(firstWeekday: number): number[] {
  return Array.from({ length: daysPerWeek }, (_, index) => (firstWeekday + daysPerWeek - 1 + index) % daysPerWeek);
}

/** Arranges rows of `weekday_hours`, whose weekdays are 1 (Monday) to 7; hours without a row are 0. */
export function weekOf(rows: readonly Pick<Row, "weekday" | "hour" | "clicks" | "visitors">[], metric: Metric): Week {
  const days = Array.from({ length: daysPerWeek }, () => Array.from({ length: hoursPerDay }, () => 0));
  let max = 0;
  for (const { weekday, hour, ...numbers } of rows) {
    const day = weekday === undefined ? undefined : days[weekday - 1];
    if (day === undefined || hour === undefined) continue;
    const value = numberOf(numbers, metric);
    day[hour] = value;
    max = Math.max(max, value);
  }
  return { days, max };
}
