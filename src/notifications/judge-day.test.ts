import { expect, test } from "bun:test";
import { daysNeeded, judgeDay } from "./judge-day.ts";

/** The clicks of 29 days: `weekday` on the same weekdays as the last day, `other` on the others, and the last day. */
function days(weekday: number, last: number, other = 1_000): number[] {
  return Array.from({ length: daysNeeded + 1 }, (_, index) => {
    if (index === daysNeeded) return last;
    return (daysNeeded - index) % 7 === 0 ? weekday : other;
  });
}
const judge = (
  kind: "spike" | "drop",
  clicks: readonly number[],
  change: { age?: number; daysSinceAlert?: number } = {},
) => judgeDay(kind, { clicks, age: 365, daysSinceAlert: undefined, ...change });

test("a day is compared with the same weekdays, not with the other days", () => {
  expect(judge("spike", days(200, 600))).toEqual({ clicks: 600, typical: 200 });
  expect(judge("spike", days(200, 599))).toBeUndefined();
  expect(judge("drop", days(200, 100))).toEqual({ clicks: 100, typical: 200 });
  expect(judge("drop", days(200, 101))).toBeUndefined();
});

test("small numbers are no alert", () => {
  expect(judge("spike", days(1, 99))).toBeUndefined();
  expect(judge("spike", days(1, 100))).toEqual({ clicks: 100, typical: 1 });
  expect(judge("drop", days(99, 0))).toBeUndefined();
});

test("one unusual week before does not change the typical number", () => {
  const clicks = days(200, 600);
  clicks[daysNeeded - 7] = 9_000;

  expect(judge("spike", clicks)).toEqual({ clicks: 600, typical: 200 });
});

test("a workspace younger than two weeks has no alert, and days before its creation do not count", () => {
  const clicks = days(0, 600);
  clicks[daysNeeded - 7] = 200;
  clicks[daysNeeded - 14] = 200;

  expect(judge("spike", clicks, { age: 13 })).toBeUndefined();
  expect(judge("spike", clicks, { age: 20 })).toEqual({ clicks: 600, typical: 200 });
});

test("a spike that lasts is announced once, unless it doubles; a drop once in a week", () => {
  const clicks = days(100, 1_500);

  expect(judge("spike", clicks, { daysSinceAlert: 1 })).toBeUndefined();
  expect(judge("spike", days(100, 2_000), { daysSinceAlert: 1 })).toEqual({ clicks: 2_000, typical: 100 });
  expect(judge("spike", clicks, { daysSinceAlert: 8 })).toEqual({ clicks: 1_500, typical: 100 });
  expect(judge("drop", days(200, 0), { daysSinceAlert: 7 })).toBeUndefined();
  expect(judge("drop", days(200, 0), { daysSinceAlert: 8 })).toEqual({ clicks: 0, typical: 200 });
});
