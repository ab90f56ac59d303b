import { localTime } from "../base/local-time.ts";
import { dayMs } from "../base/time.ts";

/**
 * Custom periods, as the page's URL holds them: a start and an end in the page's time zone.
 *
 * A day such as `2026-11-01` means the whole day, as a start and as an end. With a time, such as `2026-11-01T09:30`, the
 * end is not included.
 */
export type CustomPeriod = { start: string; end: string };

const boundaryForm = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2})?$/;

/** Parses a period; undefined unless both boundaries exist and the period is not empty. */
export function periodOf(start: string | undefined, end: string | undefined): CustomPeriod | undefined {
  if (start === undefined || end === undefined || !isBoundary(start) || !isBoundary(end)) return undefined;
  return firstInstant(start) < endInstant(end) ? { start, end } : undefined;
}

/** True for a day or a local time that exists. */
function isBoundary(text: string): boolean {
  const [, day = ""] = boundaryForm.exec(text) ?? [];
  // Date.parse reads the 31st of a shorter month as a day of the next one.
  return day !== "" && !Number.isNaN(firstInstant(text)) && new Date(firstInstant(text)).toISOString().startsWith(day);
}

/** The beginning of a boundary, by a clock in UTC. */
function firstInstant(text: string): number {
  return Date.parse(text.length === dayCharacters ? `${text}T00:00Z` : `${text}Z`);
}

const dayCharacters = "2026-11-01".length;

/** The first instant after a period with this end, by a clock in UTC. */
function endInstant(text: string): number {
  return firstInstant(text) + (text.length === dayCharacters ? dayMs : 0);
}

/** Formats a period for the URL: `2026-11-01..2026-11-03`. */
export function periodText({ start, end }: CustomPeriod): string {
  return `${start}..${end}`;
}

/** Parses what periodText returns; undefined for other text. */
export function readPeriod(text: string | undefined): CustomPeriod | undefined {
  const [start, end] = text?.split("..") ?? [];
  return periodOf(start, end);
}

/** The custom period from an instant to a later one, which is not included; in whole days where it has whole days. */
export function periodBetween(from: number | string, to: number | string, timezone: string): CustomPeriod {
  const [start, end] = [localTime(from, timezone), localTime(to, timezone)];
  return isMidnight(start) && isMidnight(end) ? withoutTimes({ start, end }) : { start, end };
}

function isMidnight(text: string): boolean {
  return text.endsWith("T00:00");
}

/** True if the boundaries have times. */
export function hasTimes({ start, end }: CustomPeriod): boolean {
  return start.includes("T") || end.includes("T");
}

/** The same period with times; text that is not a boundary stays unchanged. */
export function withTimes({ start, end }: CustomPeriod): CustomPeriod {
  return {
    start: isBoundary(start) ? localText(firstInstant(start)) : start,
    end: isBoundary(end) ? localText(endInstant(end)) : end,
  };
}

/** The whole days that a period touches; text that is not a boundary stays unchanged. */
export function withoutTimes({ start, end }: CustomPeriod): CustomPeriod {
  const isEndOfDay = isBoundary(end) && isMidnight(end);
  return {
    start: start.slice(0, dayCharacters),
    end: (isEndOfDay ? localText(firstInstant(end) - dayMs) : end).slice(0, dayCharacters),
  };
}

function localText(wall: number): string {
  return new Date(wall).toISOString().slice(0, "2026-11-01T09:30".length);
}

/** The local times of a period's boundaries, as instants in UTC, for formatters in UTC. */
export function wallTimesOf({ start, end }: CustomPeriod): { from: number; to: number } {
  return { from: firstInstant(start), to: endInstant(end) };
}
