import { describe, expect, test } from "bun:test";
import { readClock, readTime, writtenTime } from "./written-time.ts";

describe("a day is read", () => {
  test.each([
    ["2026-11-20", "2026-11-20"],
    [" 2026-1-5 ", "2026-01-05"],
    ["2026/11/20", "2026-11-20"],
    ["20.11.2026", "2026-11-20"],
    ["5. 1. 2026", "2026-01-05"],
    ["2026年11月20日", "2026-11-20"],
    ["2028-02-29", "2028-02-29"],
  ])("from %s", (text, day) => {
    expect(readTime(text, "day")).toBe(day);
  });

  test.each(["", "2026", "2026-11", "2026-13-01", "2026-02-29", "2026-11-31", "11/20/2026", "01/02/2026", "soon"])(
    "from nothing like %p",
    (text) => {
      expect(readTime(text, "day")).toBeUndefined();
    },
  );

  test("and not where a time is beside it, which would be lost", () => {
    expect(readTime("2026-11-20 09:30", "day")).toBeUndefined();
  });
});

describe("a moment is read", () => {
  test.each([
    ["2026-11-20 09:30", "2026-11-20T09:30"],
    ["2026-11-20T09:30", "2026-11-20T09:30"],
    ["2026-11-20 9:30 pm", "2026-11-20T21:30"],
    ["2026-11-20, 12:05 AM", "2026-11-20T00:05"],
    ["20.11.2026, 9.30 Uhr", "2026-11-20T09:30"],
    ["2026年11月20日 9：30", "2026-11-20T09:30"],
    ["2026-11-20", "2026-11-20T00:00"],
  ])("from %s", (text, moment) => {
    expect(readTime(text, "moment")).toBe(moment);
  });

  test.each(["2026-11-20 24:00", "2026-11-20 09:60", "2026-11-20 13:00 pm", "2026-11-20 later", "09:30"])(
    "from nothing like %s",
    (text) => {
      expect(readTime(text, "moment")).toBeUndefined();
    },
  );
});

test.each([
  ["9", "09:00"],
  ["0930", "09:30"],
  ["9pm", "21:00"],
  ["12 a.m.", "00:00"],
  ["23:59", "23:59"],
])("the time of day %s is %s", (text, clock) => {
  expect(readClock(text)).toBe(clock);
});

test("what a field shows reads as what it stands for; what is no time stays as it was typed", () => {
  expect(writtenTime("2026-11-20", "day")).toBe("2026-11-20");
  expect(writtenTime("2026-11-20T09:30", "moment")).toBe("2026-11-20 09:30");
  expect(readTime(writtenTime("2026-11-20T09:30", "moment"), "moment")).toBe("2026-11-20T09:30");
  expect(writtenTime("next week", "moment")).toBe("next week");
});
