import { expect, test } from "bun:test";
import { formatOf } from "../../base/format.ts";
import { timeTextOf } from "../../base/time-text.ts";
import { en } from "../../texts/en/en.ts";
import { type Draft, newDraft } from "./draft.ts";
import { draftErrors } from "./draft-errors.ts";
import { newRule } from "./rule-draft.ts";

function errorsOf(fields: Partial<Draft>, before: Partial<Draft> = {}): string[] {
  const texts = { links: en.links, times: en.times, format: formatOf("en"), time: timeTextOf("en") };
  const found = draftErrors({ ...newDraft(), ...fields }, { ...newDraft(), ...before }, texts);
  return found.map((fieldError) => `${fieldError.field}: ${fieldError.text}`);
}

test("an image that the API would silently ignore is an error", () => {
  const accepted = ["", " https://example.com/card.png ", "HTTP://example.com/a", "data:image/png;base64,iVBORw0KGg=="];
  const ignored = ["example.com/card.png", "card", "ftp://example.com/card.png", "https://"];

  expect(accepted.flatMap((image) => errorsOf({ image }))).toEqual([]);
  expect(ignored.flatMap((image) => errorsOf({ image }))).toEqual(
    ignored.map(() => `image: ${en.links.card.noImageUrl}`),
  );
});

const unreadable = en.times.unreadable.dayOrInstant(timeTextOf("en").example("dayOrInstant"));

test("each invalid instant is an error of its field", () => {
  const after = { field: "after" as const, name: "" };
  const rules = [{ ...newRule, conditions: [{ ...after, value: "noon" }] }];
  const unset = [{ ...newRule, conditions: [{ ...after, value: "" }] }];

  expect(errorsOf({ startsAt: "tomorrow", testCompletedAt: "1969-12-31T09:30", rules })).toEqual([
    `startsAt: ${unreadable}`,
    "testCompletedAt: Must not be before Jan 1, 1970.",
    `rules.0.when.after: ${unreadable}`,
  ]);
  expect(errorsOf({ rules: unset })).toEqual([`rules.0.when.after: ${en.times.missing}`]);
  expect(errorsOf({ startsAt: "2026-11-20T09:30", expiresAt: "" })).toEqual([]);
});

test("changed shares that do not add up are an error, unchanged ones are not", () => {
  const testVariants = [
    { url: "https://example.com/a", percentage: "70" },
    { url: "https://example.com/b", percentage: "70" },
  ];

  expect(errorsOf({ testVariants })).toEqual(["testVariants: The shares add up to 140%, not 100%."]);
  expect(errorsOf({ testVariants }, { testVariants })).toEqual([]);
  expect(errorsOf({ testVariants: [] }, { testVariants })).toEqual([]);
});

test("a duplicate country or parameter is an error", () => {
  const twice = { field: "query" as const, name: "src", value: "mail" };
  const geo = ["DE", "DE"].map((country) => ({ country, url: "https://example.com/de" }));

  expect(errorsOf({ geo, rules: [{ ...newRule, conditions: [twice, twice] }] })).toEqual([
    `rules.0.when.query: ${en.links.rules.duplicate("src")}`,
    `geo.DE: ${en.links.targets.duplicate("DE")}`,
  ]);
});
