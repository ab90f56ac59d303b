import { dayMs, hourMs } from "../../src/base/time.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Activity of people by their local hour. */
const hourRhythm = [
  0.32, 0.2, 0.14, 0.11, 0.12, 0.2, 0.42, 0.72, 1.02, 1.25, 1.36, 1.38, 1.32, 1.33, 1.34, 1.32, 1.3, 1.3, 1.32, 1.38,
  1.42, 1.32, 1.02, 0.62,
] as const;
/** Activity by the day of the week, from Sunday on. */
const weekRhythm = [0.74, 1.08, 1.13, 1.12, 1.08, 0.98, 0.77] as const;
/** The largest random deviation of a day. */
const variationMax = 0.12;

/** Activity of people in a UTC hour, in a time zone `hoursAhead` of UTC. */
export function busyness(utcHour: number, hoursAhead: number): number {
  return hourRhythm[(((utcHour + Math.round(hoursAhead)) % 24) + 24) % 24] ?? 0;
}

/** The part of an hour within a period. Instants in milliseconds, half open. */
export type Hour = { from: number; to: number; utcHour: number; weight: number };

/** The part of a UTC day within a period, with its activity relative to other days. */
export type Day = { hours: readonly Hour[]; weight: number };

/** The days and hours of a period, ascending; `weights` is the worldwide activity of each UTC hour. */
export function calendarOf(from: number, to: number, weights: readonly number[], random: SeededRandom): Day[] {
  const days: Day[] = [];
  for (let start = from - (from % dayMs); start < to; start += dayMs) {
    const hours = hoursOf(Math.max(from, start), Math.min(to, start + dayMs), weights);
    const weekday = weekRhythm[new Date(start).getUTCDay()] ?? 1;
    const variation = 1 + variationMax * (2 * random.next() - 1);
    days.push({ hours, weight: weekday * variation * hours.reduce((sum, { weight }) => sum + weight, 0) });
  }
  return days;
}

function hoursOf(from: number, to: number, weights: readonly number[]): Hour[] {
  const hours: Hour[] = [];
  for (let start = from - (from % hourMs); start < to; start += hourMs) {
    const [first, end] = [Math.max(from, start), Math.min(to, start + hourMs)];
    const utcHour = Math.floor((start % dayMs) / hourMs);
    hours.push({ from: first, to: end, utcHour, weight: ((weights[utcHour] ?? 0) * (end - first)) / hourMs });
  }
  return hours;
}
