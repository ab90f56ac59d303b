import { expect, test } from "bun:test";
import { SeenBefore } from "./seen-before.ts";

test("a number is new once, and then not", () => {
  const seen = new SeenBefore(10);

  expect(seen.note(7)).toBe(false);
  expect(seen.note(7)).toBe(true);
  expect(seen.note(8)).toBe(false);
});

test("neighbours, and numbers beyond 32 bits, do not pass for one another", () => {
  const seen = new SeenBefore(16);
  const numbers = Array.from({ length: 1_000 }, (_, index) => 5_000_000_000 + index);

  expect(numbers.filter((number) => seen.note(number))).toEqual([]);
});

test("what is noted once is forgotten behind enough others", () => {
  const seen = new SeenBefore(4);
  seen.note(1);

  for (let number = 2; number < 200; number++) seen.note(number);

  expect(seen.note(1)).toBe(false);
});
