/**
 * Parses an ISO 8601 text to milliseconds since the epoch; NaN for any other text. A text without an offset is in UTC,
 * because JavaScript's default, the server's time zone, means nothing to the caller.
 */
export function readInstant(text: string): number {
  const match = isoForm.exec(text);
  if (match === null || !isCalendarDay(match.groups ?? {})) return Number.NaN;
  const { time, offset } = match.groups ?? {};
  return Date.parse(time !== undefined && offset === undefined ? `${text}Z` : text);
}

/** Parses a date such as 2027-01-31 to the start of that UTC day, in milliseconds; undefined for any other text. */
export function readDay(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? readInstant(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** A year, a month, a day or an instant with an optional offset. A space may replace the T of ISO 8601. */
const isoForm =
  /^(?<year>\d{4})(-(?<month>\d\d)(-(?<day>\d\d)(?<time>[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(?<offset>Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

/** JavaScript would turn 31 February into 3 March. */
function isCalendarDay({ year, month = "1", day = "1" }: Record<string, string | undefined>): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
