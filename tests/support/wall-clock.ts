/** What clocks and calendars say, for tests that must not ask the code they test. */
import { dayMs } from "../../src/base/time.ts";

export const hoursPerDay = 24;

/** The days of the week from Monday on, as the dashboard names them in English. */
export const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** What the clocks of a time zone say at an instant, such as 2026-11-20T09:30. */
export function wallClock(time: number, timeZone: string): string {
  // Swedes write dates that way.
  const written = new Date(time).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return written.replace(" ", "T");
}

/** The day in a time zone, such as 2026-11-20. */
export function dayIn(time: number, timeZone: string): string {
  return wallClock(time, timeZone).slice(0, 10);
}

/** The day of the week of what a clock says. */
export function weekdayOf(wall: string): string {
  return weekdays[(new Date(`${wall.slice(0, 10)}T00:00Z`).getUTCDay() + 6) % 7] ?? "";
}

/** All days from that of one time of a clock to that of another, both among them. */
export function daysBetween(start: string, end: string): string[] {
  const [first, last] = [start, end].map((wall) => Date.parse(`${wall.slice(0, 10)}T00:00Z`));
  if (first === undefined || last === undefined) return [];
  const count = (last - first) / dayMs + 1;
  return Array.from({ length: count }, (_, index) => dayIn(first + index * dayMs, "UTC"));
}
