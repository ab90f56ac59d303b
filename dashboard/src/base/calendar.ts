import { dayMs } from "./time.ts";

/**
 * The calendar. A day is a text such as 2026-11-20, which belongs to no time zone; years have four digits, and what would
 * lie outside of them is the day it was reckoned from.
 */

const daysPerWeek = 7;
/** As many weeks as a month can touch, so that every month takes the same room. */
const weeksShown = 6;

/** The day so many days later; earlier where they are less than none. */
export function daysLater(day: string, days: number): string {
  return dayOf(instantOf(day) + days * dayMs) ?? day;
}

/** The same date so many months later; the last of the month where it has no such date. */
export function monthsLater(day: string, months: number): string {
  const date = new Date(instantOf(day));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month, Math.min(date.getUTCDate(), last))) ?? day;
}

/** The first day of a day's week, which begins on a weekday: 0 for Sunday, 6 for Saturday. */
export function weekStart(day: string, firstWeekday: number): string {
  return daysLater(day, -daysSince(firstWeekday, instantOf(day)));
}

/**
 * The weeks of a day's month, six of seven days, with the days before and after it that fill them.
 * Shape: outside of the years they are such as 0999-12-31 or +010000-01-01, which isInYears tells apart.
 */
export function monthWeeks(day: string, firstWeekday: number): string[][] {
  const monthStart = instantOf(`${day.slice(0, 8)}01`);
  const first = monthStart - daysSince(firstWeekday, monthStart) * dayMs;
  return Array.from({ length: weeksShown }, (_, week) =>
    Array.from({ length: daysPerWeek }, (_, weekday) => textOf(first + (week * daysPerWeek + weekday) * dayMs)),
  );
}

/** Whether a day lies in the years of four digits, outside of which none can be chosen. */
export function isValidYear(day: string): boolean {
  return /^[1-9]\d{3}-/.test(day);
}

function instantOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(instant: number): string | undefined {
  const text = textOf(instant);
  return isValidYear(text) ? text : undefined;
}

/** The day of an instant, such as +010000-01-01 beyond the years of four digits. */
function textOf(instant: number): string {
  return new Date(instant).toISOString().replace(/T.*/, "");
}

/** How many days ago it last was a weekday; none when it is. */
function daysSince(weekday: number, instant: number): number {
  return (new Date(instant).getUTCDay() - weekday + daysPerWeek) % daysPerWeek;
}
