import { expect, test } from "bun:test";
import { changeOf, shadeBetween, shadeOf, shadesMax } from "./change.ts";

test("a change is a part of what was before", () => {
  expect(changeOf(150, 100)).toEqual({ kind: "up", part: 0.5 });
  expect(changeOf(50, 100)).toEqual({ kind: "down", part: -0.5 });
  expect(changeOf(0, 100)).toEqual({ kind: "down", part: -1 });
});

test("a change too small to be shown is none", () => {
  expect(changeOf(1_004, 1_000)).toEqual({ kind: "same" });
  expect(changeOf(1_006, 1_000).kind).toBe("up");
});

test("after nothing no part can be said", () => {
  expect(changeOf(3, 0)).toEqual({ kind: "new" });
  expect(changeOf(0, 0)).toEqual({ kind: "same" });
});

test("anything more than nothing has a shade, and the greatest the darkest", () => {
  expect([0, 1, 100, 2_500, 10_000].map((value) => shadeOf(value, 10_000))).toEqual([0, 1, 1, 3, shadesMax]);
  expect(shadeOf(0, 0)).toBe(0);
});

test("numbers that are much alike are told apart, from the least to the greatest", () => {
  expect([0, 50, 75, 100].map((value) => shadeBetween(value, 50, 100))).toEqual([0, 1, 3, shadesMax]);
  expect(shadeBetween(7, 7, 7)).toBe(shadesMax);
});
