/**
 * The instant that a text in ISO 8601 names, in milliseconds; NaN for any other text. A text without an offset is in UTC:
 * JavaScript reads it in the server's zone, which means nothing to the caller.
 */
export function readInstant(text: string): number {
  const match = isoForm.exec(text);
  if (match === null || !isCalendarDay(match.groups ?? {})) return Number.NaN;
  const { time, offset } = match.groups ?? {};
  return Date.parse(time !== undefined && offset === undefined ? `${text}Z` : text);
}

/**
 * The start of the day that a text such as 2027-01-31 names, in milliseconds of UTC; undefined for a text that names a
 * time or no day.
 */
export function readDay(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? readInstant(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** A year, a month, a day or an instant, whose offset may be left out. A space may stand where ISO 8601 has the T. */
const isoForm =
  /^(?<year>\d{4})(-(?<month>\d\d)(-(?<day>\d\d)(?<time>[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(?<offset>Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

/** JavaScript takes the 31st of February for the 3rd of March. */
function isCalendarDay({ year, month = "1", day = "1" }: Record<string, string | undefined>): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
