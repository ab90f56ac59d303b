import type { Day, Hour } from "./calendar.ts";
import type { DailyClicks } from "./link-profiles.ts";

/** So many clicks within an hour of a day; days are numbered from 0. */
export type HourOfClicks = { day: number; hour: Hour; clicks: number };

/**
 * How many clicks there are in each hour, ascending; together `clicks` exactly. When a stretch is given out,
 * `linkWeights` holds its day's part of each link.
 */
export function* hourlyClicks(
  days: readonly Day[],
  daily: DailyClicks,
  linkWeights: Float64Array,
  clicks: number,
): Generator<HourOfClicks> {
  let sum = 0;
  let made = 0;
  for (const [index, day] of days.entries()) {
    sum += daily.next(day.weight, linkWeights);
    // By the running sum, so that what rounding takes from one day or hour the next one gets.
    const dayEnd = index === days.length - 1 ? clicks : Math.min(clicks, Math.round(clicks * sum));
    const ofDay = dayEnd - made;
    const weightOfDay = day.hours.reduce((before, { weight }) => before + weight, 0);
    let weight = 0;
    let ofHours = 0;
    for (const [hourIndex, hour] of day.hours.entries()) {
      weight += hour.weight;
      const end = hourIndex === day.hours.length - 1 ? ofDay : Math.round((ofDay * weight) / weightOfDay);
      if (end > ofHours) yield { day: index, hour, clicks: end - ofHours };
      ofHours = Math.max(ofHours, end);
    }
    made = dayEnd;
  }
}
