import { invalid } from "../base/problem.ts";
import { dayMs, hourMs, isoTime, minuteMs } from "../base/time.ts";
import { firstInstant, type TimeZone } from "./time-zone.ts";

/** The first and the last year that a period may cover. */
const yearMin = 1970;
const yearMax = 2099;

/** The parameters that have a boundary of a period. */
type BoundaryField = "start" | "end" | "compareStart" | "compareEnd";

/** A boundary in its two meanings: the first included instant of a start, and the first excluded instant of an end. */
type Boundary = { from: number; to: number };

const boundaryPattern =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<seconds>\d{2}(?:\.\d{1,9})?))?(?<offset>Z|[-+ ]\d{2}:?\d{2})?)?$/i;

/**
 * Parses a boundary. A date means the whole day in the time zone. A date-time is exact to the minute; with seconds it
 * means that whole minute. Throws "unprocessable_entity" for other text.
 */
export function readBoundary(field: BoundaryField, text: string, zone: TimeZone): Boundary {
  const { day = "", hour, minute, seconds = "0", offset } = boundaryPattern.exec(text.trim())?.groups ?? {};
  const date = Date.parse(`${day}T00:00:00.000Z`);
  // Date.parse reads the 31st of a shorter month as a day of the next month.
  if (Number.isNaN(date) || !isoTime(date).startsWith(day)) throw malformed(field);
  if (date < Date.UTC(yearMin, 0) || date >= Date.UTC(yearMax + 1, 0)) throw malformed(field);
  if (hour === undefined) return { from: firstInstant(date, zone), to: firstInstant(date + dayMs, zone) };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(seconds) >= 60) throw malformed(field);
  const wall = date + Number(hour) * hourMs + Number(minute) * minuteMs;
  const from = offset === undefined ? firstInstant(wall, zone) : wall - readOffset(offset);
  return { from, to: Number(seconds) === 0 ? from : from + minuteMs };
}

/** Milliseconds east of Greenwich. A plus sign that the client did not encode arrives as a space. */
function readOffset(text: string): number {
  if (text.toUpperCase() === "Z") return 0;
  const digits = text.replace(/\D/g, "");
  const size = Number(digits.slice(0, 2)) * hourMs + Number(digits.slice(2)) * minuteMs;
  return text.startsWith("-") ? -size : size;
}

function malformed(field: BoundaryField) {
  return invalid(
    field,
    `must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from ${yearMin} to ${yearMax}.`,
  );
}
