import { expect, test } from "bun:test";
import { timeLabelsOf } from "./time-labels.ts";

test("weekdays are numbered from Monday, in each language", () => {
  expect(timeLabelsOf("en", "UTC").weekdayLong(0)).toBe("Monday");
  expect(timeLabelsOf("de", "America/New_York").weekdayLong(6)).toBe("Sonntag");
});

test("a week is shown with its days, and a custom period with its times only if it has some", () => {
  const labels = timeLabelsOf("en", "Europe/Berlin");
  const plain = (text: string) => text.replace(/\s/g, " ");

  expect(plain(labels.long("week", Date.parse("2026-10-18T22:00:00Z")))).toBe("Oct 19 – 25, 2026");
  expect(plain(labels.period({ start: "2026-10-01", end: "2026-10-31" }))).toBe("Oct 1 – 31, 2026");
  expect(plain(labels.period({ start: "2026-10-01", end: "2026-10-01" }))).toBe("Oct 1, 2026");
  expect(plain(labels.period({ start: "2026-10-01T09:30", end: "2026-10-01T11:00" }))).toBe(
    "Oct 1, 2026, 9:30 – 11:00 AM",
  );
  expect(plain(labels.between("2026-09-30T22:00:00Z", "2026-10-24T09:30:00Z"))).toBe("Oct 1 – 24, 2026");
});

test("days are those of the report's time zone", () => {
  const midnight = Date.parse("2026-11-19T23:00:00Z");

  expect(timeLabelsOf("en", "Europe/Berlin").long("day", midnight)).toBe("Fri, Nov 20, 2026");
});
