import { expect, test } from "bun:test";
import { hueOf, initialsOf } from "./initials-of.ts";

const cases: [string, string][] = [
  ["Ada Lovelace", "AL"],
  ["ann", "A"],
  ["Jean-Luc Picard", "JP"],
  ["小林 さくら", "小さ"],
  ["", "?"],
];

for (const [name, initials] of cases) {
  test(`"${name}" is ${initials}`, () => {
    expect(initialsOf(name)).toBe(initials);
  });
}

test("a name always has the same color index, below the count", () => {
  expect(hueOf("Ada", 4)).toBe(hueOf("Ada", 4));
  expect(hueOf("Ada", 4)).toBeLessThan(4);
});
