import { expect, test } from "bun:test";
import { changeOf, shadeBetween, shadeOf, shadesMax } from "./change.ts";

test("a change is relative to the earlier number", () => {
  expect(changeOf(150, 100)).toEqual({ kind: "up", part: 0.5 });
  expect(changeOf(50, 100)).toEqual({ kind: "down", part: -0.5 });
  expect(changeOf(0, 100)).toEqual({ kind: "down", part: -1 });
});

test("a change too small to show is none", () => {
  expect(changeOf(10_004, 10_000)).toEqual({ kind: "same" });
  expect(changeOf(10_006, 10_000).kind).toBe("up");
});

test("a change from 0 has no percentage", () => {
  expect(changeOf(3, 0)).toEqual({ kind: "new" });
  expect(changeOf(0, 0)).toEqual({ kind: "same" });
});

test("every number above 0 has a shade, and the maximum has the darkest", () => {
  expect([0, 1, 100, 2_500, 10_000].map((value) => shadeOf(value, 10_000))).toEqual([0, 1, 1, 3, shadesMax]);
  expect(shadeOf(0, 0)).toBe(0);
});

test("similar numbers get different shades, from the minimum to the maximum", () => {
  expect([0, 50, 75, 100].map((value) => shadeBetween(value, 50, 100))).toEqual([0, 1, 3, shadesMax]);
  expect(shadeBetween(7, 7, 7)).toBe(shadesMax);
});
