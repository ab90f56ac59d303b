import { expect, test } from "bun:test";
import { timeLabelsOf } from "./time-labels.ts";

test("weekdays are numbered from Monday, in each language", () => {
  expect(timeLabelsOf("en", "UTC").weekdayLong(0)).toBe("Monday");
  expect(timeLabelsOf("de", "America/New_York").weekdayLong(6)).toBe("Sonntag");
});

test("days are those of the report's time zone", () => {
  const midnight = Date.parse("2026-11-19T23:00:00Z");

  expect(timeLabelsOf("en", "Europe/Berlin").long("day", midnight)).toBe("Fri, Nov 20, 2026");
});
