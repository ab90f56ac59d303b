import { expect, test } from "bun:test";
import { DoorkeeperFilter } from "./doorkeeper-filter.ts";

test("a number is new once, and then not", () => {
  const seen = new DoorkeeperFilter(10);

  expect(seen.testAndAdd(7)).toBe(false);
  expect(seen.testAndAdd(7)).toBe(true);
  expect(seen.testAndAdd(8)).toBe(false);
});

test("neighbours, and numbers beyond 32 bits, do not pass for one another", () => {
  const seen = new DoorkeeperFilter(16);
  const numbers = Array.from({ length: 1_000 }, (_, index) => 5_000_000_000 + index);

  expect(numbers.filter((number) => seen.testAndAdd(number))).toEqual([]);
});

test("what is noted once is forgotten behind enough others", () => {
  const seen = new DoorkeeperFilter(4);
  seen.testAndAdd(1);

  for (let number = 2; number < 200; number++) seen.testAndAdd(number);

  expect(seen.testAndAdd(1)).toBe(false);
});
