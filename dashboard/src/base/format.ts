import { firstWeekdayOf } from "./first-weekday.ts";
import type { Language } from "./languages.ts";
import { dayMs, hourMs, minuteMs } from "./time.ts";

/** Formats numbers and times for a language and region. Dates are in the browser's time zone. */
export type Format = ReturnType<typeof formatOf>;

/** The smallest share that a percentage with one decimal can show. */
const shareMin = 0.001;

/**
 * Creates the formatters of numbers, times and names for a language and region. They are expensive: create them once.
 */
export function formatOf(language: Language, locale: string = language) {
  const whole = new Intl.NumberFormat(locale);
  const share = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const alignedShare = new Intl.NumberFormat(locale, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const change = new Intl.NumberFormat(locale, {
    style: "percent",
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const instantFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const regions = new Intl.DisplayNames(locale, { type: "region", fallback: "code" });
  const languageNames = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
  const percent = (part: number) =>
    part > 0 && part < shareMin / 2 ? `<${share.format(shareMin)}` : share.format(part);
  return {
    language,
    /** For example "en-GB". */
    locale,
    /** The weekday on which weeks begin: 0 for Sunday to 6 for Saturday. */
    firstWeekday: firstWeekdayOf(locale),
    /** 12,345 */
    number: (value: number) => whole.format(value),
    /** 12.3% for a share from 0 to 1; a share above 0 is never shown as 0%. */
    percent,
    /** 12.0%: a percentage for columns, where decimals stand below each other; 0% and 100% have none. */
    share: (part: number) => (part < shareMin / 2 || part >= 1 ? percent(part) : alignedShare.format(part)),
    /** +12.3% */
    change: (part: number) => change.format(part),
    day: (instant: string | number | Date) => day.format(new Date(instant)),
    instant: (instant: string | number | Date) => instantFormat.format(new Date(instant)),
    /** The same in another time zone; in the browser's if that does not know the zone. */
    instantIn: (instant: string | number | Date, timeZone: string) =>
      formatIn(locale, timeZone, instantFormat).format(new Date(instant)),
    /** 9:30 AM */
    time: (instant: string | number | Date) => timeFormat.format(new Date(instant)),
    /** "now", "3 minutes ago", "in 2 days"; from 30 days on, the date. */
    ago(instant: string | number | Date, now: number = Date.now()): string {
      const ms = new Date(instant).getTime() - now;
      const size = Math.abs(ms);
      if (size < minuteMs) return relative.format(0, "second");
      if (size < hourMs) return relative.format(Math.round(ms / minuteMs), "minute");
      if (size < dayMs) return relative.format(Math.round(ms / hourMs), "hour");
      if (size < 30 * dayMs) return relative.format(Math.round(ms / dayMs), "day");
      return day.format(new Date(instant));
    },
    /** The name of a country by its two-letter code; the code itself if it is unknown. */
    country: (code: string) => named(regions, code),
    /** The name of a language by its code. */
    languageName: (code: string) => named(languageNames, code),
  };
}

function formatIn(locale: string, timeZone: string, fallback: Intl.DateTimeFormat): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  } catch {
    // The service can know newer names of zones than the browser.
    return fallback;
  }
}

function named(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
