import { dayMs } from "./time.ts";

/**
 * Calendar arithmetic. A day is a text such as 2026-11-20 without a time zone. Years have four digits; a result outside
 * of them is the day that the calculation started from.
 */

const daysPerWeek = 7;
/** The most weeks a month can touch; every month takes the same space. */
const weeksShown = 6;

/** The day a number of days later, or earlier for a negative number. */
export function daysLater(day: string, days: number): string {
  return dayOf(instantOf(day) + days * dayMs) ?? day;
}

/** The same date a number of months later; the last day of the month when it is shorter. */
export function monthsLater(day: string, months: number): string {
  const date = new Date(instantOf(day));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month, Math.min(date.getUTCDate(), last))) ?? day;
}

/**
 * The first day of the week that a day is in, for weeks that begin on a weekday from 0 for Sunday to 6 for Saturday.
 */
export function weekStart(day: string, firstWeekday: number): string {
  return daysLater(day, -daysSince(firstWeekday, instantOf(day)));
}

/**
 * The weeks of a day's month: six of seven days, filled with days of the months before and after.
 * Shape: days outside the four-digit years look like 0999-12-31 or +010000-01-01; isValidYear tells them apart.
 */
export function monthWeeks(day: string, firstWeekday: number): string[][] {
  const monthStart = instantOf(`${day.slice(0, 8)}01`);
  const first = monthStart - daysSince(firstWeekday, monthStart) * dayMs;
  return Array.from({ length: weeksShown }, (_, week) =>
    Array.from({ length: daysPerWeek }, (_, weekday) => textOf(first + (week * daysPerWeek + weekday) * dayMs)),
  );
}

/** True for a day in the four-digit years; others cannot be chosen. */
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

/** The day of an instant; beyond the four-digit years such as +010000-01-01. */
function textOf(instant: number): string {
  return new Date(instant).toISOString().replace(/T.*/, "");
}

/** Days since the last such weekday; 0 on the weekday itself. */
function daysSince(weekday: number, instant: number): number {
  return (new Date(instant).getUTCDay() - weekday + daysPerWeek) % daysPerWeek;
}
