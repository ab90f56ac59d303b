import { daysLater } from "./calendar.ts";
import { localTime } from "./local-time.ts";
import { epochDay, lastDay, latestInstant } from "./time.ts";

/**
 * Parses and formats days and instants in fields, in the format of the person's region as everywhere in the dashboard.
 * ISO (2026-11-20), German (20.11.2026) and Chinese (2026年11月20日) dates are accepted everywhere, and times with am and
 * pm (9:30 pm). 12/31/2026 is read in the order of the region: month first in the United States, day first in Britain.
 * Where both orders are in use, 01/02/2026 is rejected.
 *
 * A value is `2026-11-20` or `2026-11-20T09:30`, in the caller's time zone.
 */

/** A day, a day with a time, or a day whose time is optional. */
export type TimeKind = "day" | "instant" | "dayOrInstant";

/** The edge of a day that a day without a time means: its first instant, or the first one after it. */
export type DayEdge = "start" | "end";

/** The order of day and month in a date such as 12/31/2026; "either" where both are in use, "none" to reject it. */
type DateOrder = "monthFirst" | "dayFirst" | "either" | "none";

const dayForm =
  /^(?:(?<year>\d{4})\s*[-/.年]\s*(?<month>\d{1,2})\s*[-/.月]\s*(?<date>\d{1,2})日?|(?<date2>\d{1,2})\.\s*(?<month2>\d{1,2})\.\s*(?<year2>\d{4}))(?:(?:,?\s+|,|T)(?<clock>\S.*))?$/i;
const clockForm =
  /^(?<first>[上下]午)?\s*(?<hour>\d{1,2})(?:[:：.]?(?<minute>\d{2}))?\s*(?<half>[ap])?(?:\.?\s*m\.?)?(?:\s*uhr)?$/i;
/** Numbers whose order depends on the region: `12/31/2026` and `31/12/2026`. */
const orderedForm =
  /^(?<one>\d{1,2})\s*(?<sign>[-/])\s*(?<two>\d{1,2})\s*\k<sign>\s*(?<year>\d{4})(?:(?:,?\s+|,)(?<clock>\S.*))?$/i;
/** With the month's name, in either order: `Nov 20, 2026` and `20 November 2026`. */
const namedForm =
  /^(?:(?<name>\p{L}+)\.?\s+(?<date>\d{1,2})|(?<date2>\d{1,2})\.?\s+(?<name2>\p{L}+))\.?,?\s+(?<year>\d{4})(?:(?:,?\s+(?:at\s+|um\s+)?|,)(?<clock>\S.*))?$/iu;

/** How a region writes dates: the lower-case names of months with their numbers from 1, and the order of numbers. */
type DateForms = { months: ReadonlyMap<string, number>; order: DateOrder };

/**
 * Parses typed text; undefined when it is not of the kind. An instant without a time is the start of its day; a
 * dayOrInstant without a time stays a day.
 */
export function parseTime(text: string, kind: TimeKind, forms: DateForms = noForms): string | undefined {
  const parts = dayParts(text.trim(), forms);
  if (parts === undefined) return undefined;
  const day = `${parts.year}-${twoDigits(parts.month)}-${twoDigits(parts.date)}`;
  if (!isDay(day)) return undefined;
  if (kind === "day") return parts.clock === undefined ? day : undefined;
  if (kind === "dayOrInstant" && parts.clock === undefined) return day;
  const time = parts.clock === undefined ? midnight : parseClock(parts.clock);
  return time === undefined ? undefined : `${day}T${time}`;
}

const midnight = "00:00";
const noForms: DateForms = { months: new Map(), order: "none" };

/**
 * The instant of a typed or stored value in the browser's time zone, in ISO form; null for other text. A day without a
 * time means the given edge of it.
 */
export function instantAt(text: string, edge: DayEdge): string | null {
  const read = parseTime(text, "dayOrInstant");
  if (read === undefined) return null;
  const time = read.includes("T") ? Date.parse(read) : edgeOfDay(read, edge);
  // The days at the limits of the API lie partly beyond them, east or west of UTC.
  const supported = read < epochDay ? time : Math.max(0, time);
  return new Date(Math.min(supported, latestInstant)).toISOString();
}

/** The value of a stored instant as a field holds it: without a time if the instant is that edge of a day. */
export function fieldValueOf(instant: string, edge: DayEdge): string {
  const time = Date.parse(instant);
  const local = localTime(time);
  const day = local.slice(0, 10);
  // instantAt cuts these two days to what the API supports. East of UTC, the last one ends in the year 10000.
  if (edge === "start" && time === 0 && day === epochDay) return day;
  const isBeyondLastDay = /^\d{5}/.test(local);
  if (edge === "end" && (time === latestInstant || isBeyondLastDay)) return lastDay;
  if (isBeyondLastDay) return `${lastDay}T23:59`;
  if (edgeOfDay(day, "start") !== time) return local;
  return edge === "start" ? day : daysLater(day, -1);
}

/** The first instant of a day, or the first one after it, in the browser's time zone. */
function edgeOfDay(day: string, edge: DayEdge): number {
  const date = new Date(`${day}T00:00`);
  return edge === "start" ? date.getTime() : date.setDate(date.getDate() + 1);
}

type Parts = { year: string; month: string; date: string; clock: string | undefined };

function dayParts(text: string, { months, order }: DateForms): Parts | undefined {
  const ordered = orderedForm.exec(text)?.groups;
  if (ordered !== undefined) return orderedParts(ordered, order);
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

function orderedParts(groups: Record<string, string | undefined>, order: DateOrder): Parts | undefined {
  const { one = "", two = "", year = "", clock } = groups;
  const isMonthFirst = order === "either" ? monthComesFirst(Number(one), Number(two)) : order === "monthFirst";
  if (order === "none" || isMonthFirst === undefined) return undefined;
  return isMonthFirst ? { year, month: one, date: two, clock } : { year, month: two, date: one, clock };
}

/** True or false if the numbers are a date in one order only, or the same in both; undefined for an ambiguous date. */
function monthComesFirst(one: number, two: number): boolean | undefined {
  if (two > monthsPerYear || one === two) return true;
  return one > monthsPerYear ? false : undefined;
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
  let forms: DateForms | undefined;
  const read = (text: string, kind: TimeKind) => {
    // This formats three dozen dates, which most pages never need.
    forms ??= {
      months: monthNames([writers.day, of({ month: "short" }), of({ month: "long" })]),
      order: dateOrder(locale, of({ dateStyle: "short" })),
    };
    return parseTime(text, kind, forms);
  };
  const write = (value: string, kind: TimeKind): string => {
    const known = parseTime(value, kind);
    if (known === undefined) return value;
    const isDay = !known.includes("T");
    const written = plainSpaces(writers[isDay ? "day" : "instant"].format(Date.parse(isDay ? known : `${known}Z`)));
    // A locale whose format cannot be parsed back uses the unambiguous ISO form.
    return read(written, kind) === known ? written : known.replace("T", " ");
  };
  return {
    /** Parses typed text; undefined when it is not of the kind. */
    read,
    /** Formats a value; text that is not a value stays unchanged. */
    write,
    /** Formats the instant at which something ends: only the day if it lasts to the end of that day. */
    writeEnd: (instant: string) => write(fieldValueOf(instant, "end"), "dayOrInstant"),
    /** Formats a time of day such as `09:30`. */
    writeClock: (time: string) => {
      const written = plainSpaces(clock.format(Date.parse(`1970-01-01T${time}Z`)));
      return parseClock(written) === time ? written : time;
    },
    /** An example of a day or instant in this locale's format: the last day of this year, so that an expiry can be there. */
    example: (kind: TimeKind) => {
      const day = `${new Date().getFullYear()}-12-31`;
      return write(kind === "instant" ? `${day}T09:30` : day, kind);
    },
  };
}

/** The order of numbers in a locale's dates. English without a region may be American or British. */
function dateOrder(locale: string, writer: Intl.DateTimeFormat): DateOrder {
  const order = writer.formatToParts(Date.UTC(2026, 0, 15)).map(({ type }) => type);
  const [year, month, day] = (["year", "month", "day"] as const).map((type) => order.indexOf(type));
  if (locale === "en" || year === undefined || month === undefined || day === undefined || year < day) return "either";
  return month < day ? "monthFirst" : "dayFirst";
}

/** Typing over a text is easier with ordinary spaces. */
function plainSpaces(text: string): string {
  return text.replace(/\s/g, " ");
}

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
