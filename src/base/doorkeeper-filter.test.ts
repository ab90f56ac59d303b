import { expect, test } from "bun:test";
import { DoorkeeperFilter } from "./doorkeeper-filter.ts";

test("a number is new only once", () => {
  const seen = new DoorkeeperFilter(10);

  expect(seen.testAndAdd(7)).toBe(false);
  expect(seen.testAndAdd(7)).toBe(true);
  expect(seen.testAndAdd(8)).toBe(false);
});

test("neighboring numbers, and numbers beyond 32 bits, are distinct", () => {
  const seen = new DoorkeeperFilter(16);
  const numbers = Array.from({ length: 1_000 }, (_, index) => 5_000_000_000 + index);

  expect(numbers.filter((number) => seen.testAndAdd(number))).toEqual([]);
});

test("a number is forgotten after enough others", () => {
  const seen = new DoorkeeperFilter(4);
  seen.testAndAdd(1);

  for (let number = 2; number < 200; number++) seen.testAndAdd(number);

  expect(seen.testAndAdd(1)).toBe(false);
});
