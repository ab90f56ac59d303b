import { describe, expect, test } from "bun:test";
import { periodBetween, periodOf, periodText, readPeriod, withoutTimes, withTimes } from "./period.ts";

describe("periodOf", () => {
  test("days are inclusive, so that one day is a period", () => {
    const day = { start: "2026-11-01", end: "2026-11-01" };

    expect(periodOf(day.start, day.end)).toEqual(day);
    expect(readPeriod(periodText(day))).toEqual(day);
  });

  test("a time as the end is not included", () => {
    expect(periodOf("2026-11-01T09:30", "2026-11-01T09:30")).toBeUndefined();
    expect(periodOf("2026-11-01T09:30", "2026-11-01T09:31")).toBeDefined();
    expect(periodOf("2026-11-01", "2026-11-01T00:00")).toBeUndefined();
    expect(periodOf("2026-11-01T23:00", "2026-11-01")).toBeDefined();
  });

  test.each([
    ["2026-02-30", "2026-03-01"],
    ["2026-11-02", "2026-11-01"],
    ["soon", "2026-11-01"],
    ["2026-11-01", "2026-11-01T25:00"],
    ["2026-11-01", undefined],
  ])("from %p to %p is no period", (start, end) => {
    expect(periodOf(start, end)).toBeUndefined();
  });
});

describe("periodBetween", () => {
  test("whole days of the time zone are days, also across a clock change", () => {
    expect(periodBetween("2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z", "Europe/Berlin")).toEqual({
      start: "2026-10-01",
      end: "2026-10-31",
    });
  });

  test("other periods have times", () => {
    expect(periodBetween("2026-10-01T00:00:00Z", "2026-10-01T10:00:00Z", "UTC")).toEqual({
      start: "2026-10-01T00:00",
      end: "2026-10-01T10:00",
    });
  });
});

test("times are added and removed without changing whole days", () => {
  const days = { start: "2026-10-01", end: "2026-10-31" };

  expect(withTimes(days)).toEqual({ start: "2026-10-01T00:00", end: "2026-11-01T00:00" });
  expect(withoutTimes(withTimes(days))).toEqual(days);
  expect(withoutTimes({ start: "2026-10-01T09:30", end: "2026-10-02T09:30" })).toEqual({
    start: "2026-10-01",
    end: "2026-10-02",
  });
  expect(withTimes({ start: "Octob", end: "2026-10-31" }).start).toBe("Octob");
});
