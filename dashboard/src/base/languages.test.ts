import { expect, test } from "bun:test";
import { formatOf } from "./format.ts";
import { type Language, localeOf } from "./languages.ts";

test.each<{ language: Language; tags: string[]; locale: string; moment: string; firstWeekday: number }>([
  { language: "en", tags: ["en-US"], locale: "en-US", moment: "Nov 20, 2026, 9:30 AM", firstWeekday: 0 },
  { language: "en", tags: ["de-DE", "en-GB"], locale: "en-GB", moment: "20 Nov 2026, 09:30", firstWeekday: 1 },
  { language: "en", tags: ["en-US@posix"], locale: "en-US", moment: "Nov 20, 2026, 9:30 AM", firstWeekday: 0 },
  { language: "en", tags: ["de-DE"], locale: "en", moment: "Nov 20, 2026, 9:30 AM", firstWeekday: 0 },
  { language: "de", tags: ["de", "de-AT"], locale: "de", moment: "20.11.2026, 09:30", firstWeekday: 1 },
  { language: "zh", tags: ["zh-TW"], locale: "zh-Hans-TW", moment: "2026年11月20日 09:30", firstWeekday: 0 },
])("a browser with the tags $tags formats times and weeks as $locale does", (expected) => {
  const locale = localeOf(expected.language, expected.tags);
  const format = formatOf(expected.language, locale);

  // Some versions of the locale data have a narrow space before AM.
  const moment = format.moment(new Date(2026, 10, 20, 9, 30)).replaceAll("\u202f", " ");

  expect({ locale, moment, firstWeekday: format.firstWeekday }).toEqual({
    locale: expected.locale,
    moment: expected.moment,
    firstWeekday: expected.firstWeekday,
  });
});
