import type { Day, Hour } from "./calendar.ts";
import type { DailyClicks } from "./link-profiles.ts";

/** The number of clicks in an hour of a day; days are numbered from 0. */
export type HourOfClicks = { day: number; hour: Hour; clicks: number };

/**
 * Yields the number of clicks in each hour, ascending; their sum is exactly `clicks`. At each yield `linkWeights` has
 * the weight of each link on that day.
 */
export function* hourlyClicks(
  days: readonly Day[],
  daily: DailyClicks,
  linkWeights: Float64Array,
  clicks: number,
): Generator<HourOfClicks> {
  let sum = 0;
  let yielded = 0;
  for (const [index, day] of days.entries()) {
    sum += daily.next(day.weight, linkWeights);
    // Rounds the running sum, so that rounding errors carry over to the next day or hour.
    const dayEnd = index === days.length - 1 ? clicks : Math.min(clicks, Math.round(clicks * sum));
    const dayClicks = dayEnd - yielded;
    const dayWeight = day.hours.reduce((before, { weight }) => before + weight, 0);
    let weight = 0;
    let hoursYielded = 0;
    for (const [hourIndex, hour] of day.hours.entries()) {
      weight += hour.weight;
      const end = hourIndex === day.hours.length - 1 ? dayClicks : Math.round((dayClicks * weight) / dayWeight);
      if (end > hoursYielded) yield { day: index, hour, clicks: end - hoursYielded };
      hoursYielded = Math.max(hoursYielded, end);
    }
    yielded = dayEnd;
  }
}
