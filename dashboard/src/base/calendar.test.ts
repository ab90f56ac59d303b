import { expect, test } from "bun:test";
import { daysLater, isValidYear, monthsLater, monthWeeks, weekStart } from "./calendar.ts";

test("adding days crosses months, years and changes to summer time", () => {
  expect(daysLater("2026-12-31", 1)).toBe("2027-01-01");
  expect(daysLater("2026-03-01", -1)).toBe("2026-02-28");
  expect(daysLater("2028-02-28", 1)).toBe("2028-02-29");
  expect(daysLater("2026-10-24", 2)).toBe("2026-10-26");
});

test("adding months keeps the date, or takes the last day of a shorter month", () => {
  expect(monthsLater("2026-11-20", 1)).toBe("2026-12-20");
  expect(monthsLater("2026-12-20", 1)).toBe("2027-01-20");
  expect(monthsLater("2026-01-31", 1)).toBe("2026-02-28");
  expect(monthsLater("2026-03-31", -1)).toBe("2026-02-28");
  expect(monthsLater("2028-02-29", -12)).toBe("2027-02-28");
});

test("no step goes beyond the four-digit years", () => {
  expect(daysLater("9999-12-31", 1)).toBe("9999-12-31");
  expect(monthsLater("1000-01-15", -1)).toBe("1000-01-15");
});

test("a month has six weeks, starting on the first weekday", () => {
  const fromMonday = monthWeeks("2026-11-20", 1);
  const fromSunday = monthWeeks("2026-11-20", 0);

  expect(fromMonday.map(([first]) => first)).toEqual([
    ...["2026-10-26", "2026-11-02", "2026-11-09", "2026-11-16", "2026-11-23", "2026-11-30"],
  ]);
  expect(fromSunday[0]).toEqual([
    ...["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05", "2026-11-06", "2026-11-07"],
  ]);
  expect(weekStart("2026-11-22", 1)).toBe("2026-11-16");
  expect(weekStart("2026-11-22", 0)).toBe("2026-11-22");
});

test("the last month of year 9999 has six weeks too, and its days beyond the year are recognized", () => {
  const days = monthWeeks("9999-12-20", 1).flat();

  expect(new Set(days).size).toBe(42);
  expect(days.filter(isValidYear).at(-1)).toBe("9999-12-31");
  expect(isValidYear("0999-12-31")).toBe(false);
});
