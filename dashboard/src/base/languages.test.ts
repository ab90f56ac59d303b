import { expect, test } from "bun:test";
import { formatOf } from "./format.ts";
import { type Language, localeOf } from "./languages.ts";

test.each<{ language: Language; tags: string[]; locale: string; instant: string; firstWeekday: number }>([
  { language: "en", tags: ["en-US"], locale: "en-US", instant: "Nov 20, 2026, 9:30 AM", firstWeekday: 0 },
  { language: "en", tags: ["de-DE", "en-GB"], locale: "en-GB", instant: "20 Nov 2026, 09:30", firstWeekday: 1 },
  { language: "en", tags: ["en-US@posix"], locale: "en-US", instant: "Nov 20, 2026, 9:30 AM", firstWeekday: 0 },
  { language: "en", tags: ["de-DE"], locale: "en", instant: "Nov 20, 2026, 9:30 AM", firstWeekday: 0 },
  { language: "de", tags: ["de", "de-AT"], locale: "de", instant: "20.11.2026, 09:30", firstWeekday: 1 },
  { language: "zh", tags: ["zh-TW"], locale: "zh-Hans-TW", instant: "2026年11月20日 09:30", firstWeekday: 0 },
])("a browser with the tags $tags formats times and weeks as $locale does", (expected) => {
  const locale = localeOf(expected.language, expected.tags);
  const format = formatOf(expected.language, locale);

  // Some versions of the locale data have a narrow space before AM.
  const instant = format.instant(new Date(2026, 10, 20, 9, 30)).replaceAll("\u202f", " ");

  expect({ locale, instant, firstWeekday: format.firstWeekday }).toEqual({
    locale: expected.locale,
    instant: expected.instant,
    firstWeekday: expected.firstWeekday,
  });
});
