import { describe, expect, test } from "bun:test";
import { hourMs } from "../base/time.ts";
import { axisOf, isRunning, labelledPoints, pointsOf, unitOf, unitsFor } from "./series.ts";

const day = (date: string) => ({ start: Date.parse(`${date}T00:00:00Z`) });

test("points contain the metric, and that of the previous period", () => {
  const rows = [
    {
      start: "2026-11-19T00:00:00.000Z",
      clicks: 12,
      visitors: 9,
      previous: { start: "2026-11-12T00:00:00.000Z", clicks: 4, visitors: 3 },
    },
    { start: "2026-11-20T00:00:00.000Z", clicks: 0, visitors: 0 },
  ];

  expect(pointsOf(rows, "visitors")).toEqual([
    { ...day("2026-11-19"), value: 9, before: { ...day("2026-11-12"), value: 3 } },
    { ...day("2026-11-20"), value: 0, before: undefined },
  ]);
  expect(pointsOf(rows, "clicks").map(({ value }) => value)).toEqual([12, 0]);
});

test("the unit follows from the distance of the points, also on changes to summer time", () => {
  expect(unitOf([{ start: 0 }, { start: hourMs }])).toBe("hour");
  expect(unitOf([{ start: 0 }, { start: 25 * hourMs }])).toBe("day");
  expect(unitOf([{ start: 0 }, { start: 23 * hourMs }])).toBe("day");
  expect(unitOf([day("2026-02-01"), day("2026-03-01")])).toBe("month");
  expect(unitOf([day("2026-02-01")])).toBe("day");
});

test("a period has the units that divide it into points", () => {
  const days = (count: number) => ({ from: 0, to: count * 24 * hourMs });

  expect(unitsFor(days(1))).toEqual(["hour"]);
  expect(unitsFor(days(31))).toEqual(["hour", "day", "week", "month"]);
  expect(unitsFor(days(365))).toEqual(["day", "week", "month"]);
  expect(unitsFor(days(3_650))).toEqual(["week", "month"]);
});

test("only the last point can be running", () => {
  const points = [day("2026-11-19"), day("2026-11-20")];
  const noon = Date.parse("2026-11-20T12:00:00Z");

  expect([0, 1].map((index) => isRunning({ points, unit: "day" }, index, noon))).toEqual([false, true]);
  expect(isRunning({ points, unit: "day" }, 1, noon + 24 * hourMs)).toBe(false);
});

describe("an axis has few whole numbers, the last at or above the maximum", () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [10, [0, 5, 10]],
    [100, [0, 25, 50, 75, 100]],
    [1_234, [0, 500, 1_000, 1_500]],
    [98_765, [0, 25_000, 50_000, 75_000, 100_000]],
  ])("%p: %p", (max, lines) => {
    expect(axisOf(max)).toEqual(lines);
  });
});

test("an axis has as many labels as fit", () => {
  expect(labelledPoints(31, 8)).toEqual([0, 4, 8, 12, 16, 20, 24, 28]);
  expect(labelledPoints(3, 8)).toEqual([0, 1, 2]);
  expect(labelledPoints(0, 8)).toEqual([]);
});
