/**
 * The instant a text names, in milliseconds; NaN for what is no date. JavaScript reads a date-time without an offset in
 * the server's own zone, which is not the caller's business.
 */
export function readInstant(text: string): number {
  if (!beginsWithCalendarDay(text)) return Number.NaN;
  if (/^\d{4}(-\d\d){0,2}$/.test(text) || namedOffset.test(text)) return Date.parse(text);
  return Date.parse(/^\d{4}-\d\d-\d\dT/.test(text) ? `${text}Z` : `${text} UTC`);
}

/**
 * The start of the day that a text names without a time, in milliseconds of UTC; undefined for a text that names a time,
 * an offset or no day.
 */
export function readDay(text: string): number | undefined {
  const isDay = calendarForms.some((form) => {
    const match = form.exec(text);
    return match?.groups?.["day"] !== undefined && match[0].length === text.length;
  });
  const time = isDay ? readInstant(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** JavaScript takes "5" for a month, and the 31st of February for the 3rd of March; nobody means that. */
function beginsWithCalendarDay(text: string): boolean {
  for (const form of calendarForms) {
    const { year, month = "1", day = "1" } = form.exec(text)?.groups ?? {};
    if (year === undefined) continue;
    const monthIndex = /^\d/.test(month) ? Number(month) - 1 : monthNames.indexOf(month.slice(0, 3).toLowerCase());
    const date = new Date(Date.UTC(Number(year), monthIndex, Number(day)));
    return date.getUTCMonth() === monthIndex && date.getUTCDate() === Number(day);
  }
  return false;
}

/** TABLE of how a text may begin: as in ISO 8601, as JavaScript prints dates, and as Americans write them. */
const calendarForms = [
  /^(?<year>\d{4})(-(?<month>\d\d))?$/,
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})(?!\d)/,
  /^(?<month>\d{1,2})[-/](?<day>\d{1,2})[-/](?<year>\d{4})(?!\d)/,
  /^([a-z]{3,9},? )?(?<month>[a-z]{3,9}) (?<day>\d{1,2}),? (?<year>\d{4})(?!\d)/i,
  /^([a-z]{3,9},? )?(?<day>\d{1,2}) (?<month>[a-z]{3,9}) (?<year>\d{4})(?!\d)/i,
];
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A zone's name, or an offset behind a time; with or without the remark that JavaScript's own dates end with. */
const namedOffset = /([^a-z](z|gmt|utc|[ecmp][sd]t)|\d:\d\d.*[+-]\d\d(:?\d\d)?)( *\([^)]*\))?$/i;
