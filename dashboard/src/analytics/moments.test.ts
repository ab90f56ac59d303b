import { expect, test } from "bun:test";
import { localTime, momentsOf } from "./moments.ts";

test("a field's time is that of the clocks in the time zone", () => {
  const time = Date.parse("2026-11-20T23:30:00Z");

  expect(localTime(time, "UTC")).toBe("2026-11-20T23:30");
  expect(localTime(time, "Europe/Berlin")).toBe("2026-11-21T00:30");
  expect(localTime(time, "Asia/Kolkata")).toBe("2026-11-21T05:00");
});

test("a week begins with Monday, in each language", () => {
  expect(momentsOf("en", "UTC").weekdayLong(0)).toBe("Monday");
  expect(momentsOf("de", "America/New_York").weekdayLong(6)).toBe("Sonntag");
});

test("days are named by the time zone of the report", () => {
  const midnight = Date.parse("2026-11-19T23:00:00Z");

  expect(momentsOf("en", "Europe/Berlin").long("day", midnight)).toBe("Fri, Nov 20, 2026");
});
