import { expect, test } from "bun:test";
import { removesClicks } from "./retention.ts";

const cases: [number | null, number | null, boolean][] = [
  [null, null, false],
  [null, 30, true],
  [30, null, false],
  [30, 90, false],
  [90, 30, true],
  [90, 90, false],
];

for (const [before, after, removes] of cases) {
  const days = (retention: number | null) => (retention === null ? "forever" : `${retention} days`);
  test(`a change from ${days(before)} to ${days(after)} removes ${removes ? "older" : "no"} clicks`, () => {
    expect(removesClicks(before, after)).toBe(removes);
  });
}
