import { expect, test } from "bun:test";
import { firstWeekdayOf } from "./first-weekday.ts";

test("weeks begin on the weekday that is usual in the region", () => {
  expect(firstWeekdayOf("en-US")).toBe(0);
  expect(firstWeekdayOf("en-GB")).toBe(1);
  expect(firstWeekdayOf("de")).toBe(1);
});
