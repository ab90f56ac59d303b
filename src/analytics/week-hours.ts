import type { ClickSelection, Metric } from "../clicks/query.ts";
import { type Counted, counted, type ReportDeps, skipEmptyTime } from "./click-selection.ts";
import { offsetsBetween, type TimeZone } from "./time-zone.ts";

/** An hour of the week: ISO weekdays, from Monday as 1, and hours from 0 to 23. */
export type WeekdayHour = { weekday: number; hour: number };

const hoursPerDay = 24;
const hoursPerWeek = 7 * hoursPerDay;

/** Every hour of a week in order, beginning on Monday. */
export const weekdayHours: readonly WeekdayHour[] = Array.from({ length: hoursPerWeek }, (_, index) => ({
  weekday: 1 + Math.floor(index / hoursPerDay),
  hour: index % hoursPerDay,
}));

/**
 * The numbers of each hour of weekdayHours, zeros included, by the clock of the zone at each click. When the clock is
 * set back, the repeated hour has the clicks of both. A visitor of several weeks counts once per hash.
 */
export async function countWeekdayHours(
  { db, pipeline, now }: ReportDeps,
  selection: ClickSelection,
  zone: TimeZone,
  metric: Metric = "clicks",
): Promise<Counted[]> {
  // Only offsets of a time with clicks: the store compares every click with each of them.
  const from = await skipEmptyTime({ db, pipeline }, selection.workspaceId, selection.from);
  const offsets = offsetsBetween({ from, to: Math.min(selection.to, now()) }, zone);
  const rows = await pipeline.query({ ...selection, metric, grouping: { kind: "weekHours", offsets } });
  const byHour = new Map(rows.map((row) => [row.value, row]));
  return weekdayHours.map((_, index) => counted(byHour.get(index), metric));
}
