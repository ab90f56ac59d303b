import { expect, test } from "bun:test";
import { formatOf } from "../base/format.ts";
import { de } from "../texts/de/de.ts";
import { en } from "../texts/en/en.ts";
import { shownValue } from "./shown-value.ts";

const format = formatOf("en");
const english = { texts: en, format, folderNames: new Map([["fold_1", "Autumn"]]) };
const german = { ...english, texts: de, format: formatOf("de") };

test("instants are formatted, and texts that look like instants are not", () => {
  const instant = "2026-11-21T12:00:00.000Z";

  expect(shownValue("expiresAt", instant, english)).toBe(format.instant(instant));
  expect(shownValue("comments", instant, english)).toBe(instant);
});

const rules = [
  { when: { country: ["AT", "CH"], device: "Mobile" }, url: "https://example.com/app" },
  { when: { language: "fr", query: { src: "mail", to: "all" } }, url: "https://example.com/fr" },
];
const testVariants = [
  { url: "https://example.com/a", percentage: 60 },
  { url: "https://example.com/b", percentage: 40 },
];

/** TABLE of fields and their values, and what a person reads. */
const shown: [field: string, value: unknown, text: string][] = [
  ["maxClicks", 10_000, "10,000"],
  ["expiresAt", "", ""],
  ["expiresAt", null, ""],
  ["expiresAt", undefined, ""],
  ["archived", true, "On"],
  ["archived", false, "Off"],
  ["password", "********", "set"],
  ["folderId", "fold_1", "Autumn"],
  ["folderId", "fold_2", "fold_2"],
  ["tags", [{ name: "a" }, { name: "b" }], "a, b"],
  [
    "geo",
    { DE: "https://example.com/de", FR: "https://example.com/fr" },
    "Germany → https://example.com/de\nFrance → https://example.com/fr",
  ],
  [
    "rules",
    rules,
    "Country: Austria, Switzerland · Device: Mobile → https://example.com/app\nLanguage: French · Parameter: src=mail · Parameter: to=all → https://example.com/fr",
  ],
  ["testVariants", testVariants, "A, 60% → https://example.com/a\nB, 40% → https://example.com/b"],
];

test.each(shown)("the value of %s is shown in words: %j", (field, value, text) => {
  expect(shownValue(field, value, english)).toBe(text);
});

test("names are in the person's language", () => {
  expect(shownValue("rules", rules.slice(1), german)).toBe(
    "Sprache: Französisch · Parameter: src=mail · Parameter: to=all → https://example.com/fr",
  );
});
