import { expect, test } from "bun:test";
import { weekdaysFrom, weekOf } from "./week.ts";

test("a week has all hours, and each row is at its hour", () => {
  const rows = [
    { weekday: 1, hour: 0, clicks: 3, visitors: 2 },
    { weekday: 7, hour: 23, clicks: 9, visitors: 1 },
  ];

  const { days, max } = weekOf(rows, "clicks");

  expect(days.map((hours) => hours.length)).toEqual([24, 24, 24, 24, 24, 24, 24]);
  expect([days[0]?.[0], days[6]?.[23], days[3]?.[12], max]).toEqual([3, 9, 0, 9]);
  expect(weekOf(rows, "visitors").max).toBe(2);
});

test("weekdays are ordered from the first day of the week in the region", () => {
  expect(weekdaysFrom(1)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(weekdaysFrom(0)).toEqual([6, 0, 1, 2, 3, 4, 5]);
  expect(weekdaysFrom(6)).toEqual([5, 6, 0, 1, 2, 3, 4]);
});
