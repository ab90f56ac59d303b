/** Wall time and calendar days, for tests that must not use the code under test. */
import { dayMs } from "../../src/base/time.ts";

export const hoursPerDay = 24;

/** The days of the week from Monday on, with the dashboard's English names. */
export const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The wall time of a time zone at an instant, such as 2026-11-20T09:30. */
export function wallClock(time: number, timeZone: string): string {
  // The Swedish locale writes dates in ISO 8601 order.
  const written = new Date(time).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return written.replace(" ", "T");
}

/** The day in a time zone, such as 2026-11-20. */
export function dayIn(time: number, timeZone: string): string {
  return wallClock(time, timeZone).slice(0, 10);
}

/** The day of the week of a wall time. */
export function weekdayOf(wall: string): string {
  return weekdays[(new Date(`${wall.slice(0, 10)}T00:00Z`).getUTCDay() + 6) % 7] ?? "";
}

/** All days from that of one wall time to that of another, both included. */
export function daysBetween(start: string, end: string): string[] {
  const [first, last] = [start, end].map((wall) => Date.parse(`${wall.slice(0, 10)}T00:00Z`));
  if (first === undefined || last === undefined) return [];
  const count = (last - first) / dayMs + 1;
  return Array.from({ length: count }, (_, index) => dayIn(first + index * dayMs, "UTC"));
}
