import { expect, test } from "bun:test";
import { confidenceInterval } from "./confidence-interval.ts";

/** TABLE of intervals that are known from the literature on Wilson's method. */
const cases: [part: number, total: number, low: number, high: number][] = [
  [0, 10, 0, 0.2775],
  [10, 10, 0.7225, 1],
  [5, 10, 0.2366, 0.7634],
  [50, 100, 0.4038, 0.5962],
  [81, 263, 0.2553, 0.3662],
];

test.each(cases)("the interval of %d of %d is from %d to %d", (part, total, low, high) => {
  const interval = confidenceInterval(part, total);

  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});
