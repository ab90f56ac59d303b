/**
 * Days and moments as people type them and as fields show them. A field shows `2026-11-20` and `2026-11-20 09:30` in every
 * language: that order is nobody's mistake, and 01/02 is a day in January to some and in February to others. What is
 * typed may also say the day as German (20.11.2026) and Chinese (2026年11月20日) do, which cannot be taken for another,
 * and the time in halves of the day (9:30 pm).
 */

/** A day, or a day with the time of a clock. */
export type TimeKind = "day" | "moment";

const dayForm =
  /^(?:(?<year>\d{4})\s*[-/.年]\s*(?<month>\d{1,2})\s*[-/.月]\s*(?<date>\d{1,2})日?|(?<date2>\d{1,2})\.\s*(?<month2>\d{1,2})\.\s*(?<year2>\d{4}))(?:(?:,?\s+|,|T)(?<clock>\S.*))?$/i;
const clockForm = /^(?<hour>\d{1,2})(?:[:：.]?(?<minute>\d{2}))?\s*(?<half>[ap])?(?:\.?m\.?)?(?:\s*uhr)?$/i;

/**
 * What was typed, as `2026-11-20` or `2026-11-20T09:30`; undefined for what is neither. A moment without a time is the
 * beginning of its day.
 */
export function readTime(text: string, kind: TimeKind): string | undefined {
  const parts = dayForm.exec(text.trim())?.groups;
  if (parts === undefined) return undefined;
  const { year = parts["year2"], month = parts["month2"], date = parts["date2"], clock } = parts;
  const day = `${year}-${twoDigits(month)}-${twoDigits(date)}`;
  if (!isDay(day)) return undefined;
  if (kind === "day") return clock === undefined ? day : undefined;
  const time = clock === undefined ? "00:00" : readClock(clock);
  return time === undefined ? undefined : `${day}T${time}`;
}

/** A time of day as `09:30`; undefined for what is none. */
export function readClock(text: string): string | undefined {
  const { hour = "", minute = "00", half } = clockForm.exec(text.trim())?.groups ?? {};
  if (hour === "" || Number(minute) > 59) return undefined;
  if (half === undefined) return Number(hour) > 23 ? undefined : `${twoDigits(hour)}:${minute}`;
  if (Number(hour) < 1 || Number(hour) > 12) return undefined;
  const since = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${twoDigits(String(since))}:${minute}`;
}

/** A day or moment as its field shows it; what is none of them stays as it is. */
export function writtenTime(value: string, kind: TimeKind): string {
  return readTime(value, kind)?.replace("T", " ") ?? value;
}

function twoDigits(number = ""): string {
  return number.padStart(2, "0");
}

/** Date.parse takes the 31st of any month for a day of the next one. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && day >= "1000";
}
