import { expect, test } from "bun:test";
import { RecentNumbers } from "./recent-numbers.ts";

test("texts have the number they were given, told from others with the same telling one", () => {
  const numbers = new RecentNumbers(100);
  numbers.set("b", [1, "a", "b"], 7);
  numbers.set("b", [2, "a", "b"], 8);

  const found = [1, 2, 3].map((first) => numbers.get("b", [first, "a", "b"]));

  expect(found).toEqual([7, 8, undefined]);
});

test("the last ones asked for stay when there are more than it holds", () => {
  const numbers = new RecentNumbers(10);
  numbers.set("kept", ["kept"], 1);

  for (let other = 0; other < 1_000; other++) {
    numbers.set(`other ${other}`, [`other ${other}`], other);
    expect(numbers.get("kept", ["kept"])).toBe(1);
  }

  expect(numbers.get("other 1", ["other 1"])).toBeUndefined();
});

test("of many with the same telling text only the last ones stay, so that none is looked for at length", () => {
  const numbers = new RecentNumbers(10_000);

  for (let other = 0; other < 1_000; other++) numbers.set("same", ["same", other], other);

  const held = Array.from({ length: 1_000 }, (_, other) => numbers.get("same", ["same", other])).filter(
    (number) => number !== undefined,
  );
  expect(held.length).toBeLessThan(100);
  expect(held.at(-1)).toBe(999);
});
