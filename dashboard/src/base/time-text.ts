/**
 * Parses and formats days and instants in fields, in the format of the person's region as everywhere in the dashboard.
 * ISO (2026-11-20), German (20.11.2026) and Chinese (2026年11月20日) dates are accepted everywhere, and times with am and
 * pm (9:30 pm). 01/02 is rejected: it is in January for some readers and in February for others.
 *
 * A value is `2026-11-20` or `2026-11-20T09:30`, in the caller's time zone.
 */

/** A day, or a day with a time. */
export type TimeKind = "day" | "instant";

const dayForm =
  /^(?:(?<year>\d{4})\s*[-/.年]\s*(?<month>\d{1,2})\s*[-/.月]\s*(?<date>\d{1,2})日?|(?<date2>\d{1,2})\.\s*(?<month2>\d{1,2})\.\s*(?<year2>\d{4}))(?:(?:,?\s+|,|T)(?<clock>\S.*))?$/i;
const clockForm =
  /^(?<first>[上下]午)?\s*(?<hour>\d{1,2})(?:[:：.]?(?<minute>\d{2}))?\s*(?<half>[ap])?(?:\.?\s*m\.?)?(?:\s*uhr)?$/i;
/** With the month's name, in either order: `Nov 20, 2026` and `20 November 2026`. */
const namedForm =
  /^(?:(?<name>\p{L}+)\.?\s+(?<date>\d{1,2})|(?<date2>\d{1,2})\.?\s+(?<name2>\p{L}+))\.?,?\s+(?<year>\d{4})(?:(?:,?\s+(?:at\s+|um\s+)?|,)(?<clock>\S.*))?$/iu;

/**
 * Parses typed text; undefined when it is neither a day nor an instant. An instant without a time is the start of its
 * day. `months` maps lower-case names of months to their numbers, from 1.
 */
export function parseTime(
  text: string,
  kind: TimeKind,
  months: ReadonlyMap<string, number> = noNames,
): string | undefined {
  const parts = dayParts(text.trim(), months);
  if (parts === undefined) return undefined;
  const day = `${parts.year}-${twoDigits(parts.month)}-${twoDigits(parts.date)}`;
  if (!isDay(day)) return undefined;
  if (kind === "day") return parts.clock === undefined ? day : undefined;
  const time = parts.clock === undefined ? midnight : parseClock(parts.clock);
  return time === undefined ? undefined : `${day}T${time}`;
}

const midnight = "00:00";
const noNames: ReadonlyMap<string, number> = new Map();

type Parts = { year: string; month: string; date: string; clock: string | undefined };

function dayParts(text: string, months: ReadonlyMap<string, number>): Parts | undefined {
  const numbers = dayForm.exec(text)?.groups;
  if (numbers !== undefined) {
    const { year = numbers["year2"], month = numbers["month2"], date = numbers["date2"], clock } = numbers;
    return { year: year ?? "", month: month ?? "", date: date ?? "", clock };
  }
  const named = namedForm.exec(text)?.groups;
  if (named === undefined) return undefined;
  const { name = named["name2"], date = named["date2"], year, clock } = named;
  const month = months.get(name?.toLowerCase() ?? "");
  return month === undefined ? undefined : { year: year ?? "", month: String(month), date: date ?? "", clock };
}

/** Parses and formats times in fields for a locale. */
export type TimeText = ReturnType<typeof timeTextOf>;

/**
 * Creates the parser and formatter for a locale such as "en-GB". Guarantee: it parses what it formats to the same
 * value.
 */
export function timeTextOf(locale: string) {
  const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  const writers = { day: of({ dateStyle: "medium" }), instant: of({ dateStyle: "medium", timeStyle: "short" }) };
  const clock = of({ timeStyle: "short" });
  let months: ReadonlyMap<string, number> | undefined;
  const read = (text: string, kind: TimeKind) => {
    // This formats three dozen dates, which most pages never need.
    months ??= monthNames([writers.day, of({ month: "short" }), of({ month: "long" })]);
    return parseTime(text, kind, months);
  };
  const write = (value: string, kind: TimeKind): string => {
    const known = parseTime(value, kind);
    if (known === undefined) return value;
    const written = plainSpaces(writers[kind].format(Date.parse(kind === "day" ? known : `${known}Z`)));
    // A locale whose format cannot be parsed back uses the unambiguous ISO form.
    return read(written, kind) === known ? written : known.replace("T", " ");
  };
  return {
    /** Parses typed text; undefined when it is neither a day nor an instant. */
    read,
    /** Formats a value; text that is not a value stays unchanged. */
    write,
    /** Formats a time of day such as `09:30`. */
    writeClock: (time: string) => {
      const written = plainSpaces(clock.format(Date.parse(`1970-01-01T${time}Z`)));
      return parseClock(written) === time ? written : time;
    },
    /** An example of a day or instant in this locale's format. */
    example: (kind: TimeKind) => write(kind === "day" ? exampleDay : `${exampleDay}T09:30`, kind),
  };
}

/** Typing over a text is easier with ordinary spaces. */
function plainSpaces(text: string): string {
  return text.replace(/\s/g, " ");
}

const exampleDay = "2026-11-20";
const monthsPerYear = 12;

/** The numbers of the months, from 1, by their long, short and usual names. */
function monthNames(writers: readonly Intl.DateTimeFormat[]): Map<string, number> {
  const names = new Map<string, number>();
  for (let month = 0; month < monthsPerYear; month++) {
    for (const writer of writers) {
      const part = writer.formatToParts(Date.UTC(2026, month, 15)).find(({ type }) => type === "month");
      if (part !== undefined) names.set(part.value.toLowerCase().replace(/\.$/, ""), month + 1);
    }
  }
  return names;
}

/** Parses a time of day to `09:30`; undefined for other text. */
export function parseClock(text: string): string | undefined {
  const { first, hour = "", minute = "00", half = halves[first ?? ""] } = clockForm.exec(text.trim())?.groups ?? {};
  if (hour === "" || Number(minute) > 59) return undefined;
  if (half === undefined) return Number(hour) > 23 ? undefined : `${twoDigits(hour)}:${minute}`;
  if (Number(hour) < 1 || Number(hour) > 12) return undefined;
  const since = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${twoDigits(String(since))}:${minute}`;
}

/** Chinese markers of the half of the day, which stand in front. */
const halves: Partial<Record<string, string>> = { 上午: "a", 下午: "p" };

function twoDigits(number: string): string {
  return number.padStart(2, "0");
}

/** Date.parse accepts the 31st of every month and moves it to the next one. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && day >= "1000";
}
