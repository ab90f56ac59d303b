import { expect, test } from "bun:test";
import { shadeScaleOf, shadesMax } from "./shade-scale.ts";

test("the different numbers are divided evenly among the shades, however large they are", () => {
  const { shadeOf } = shadeScaleOf([1, 2, 3, 4, 5, 6, 7, 8, 900, 1_000_000]);

  expect([1, 2, 3, 4, 5, 6, 7, 8, 900, 1_000_000].map(shadeOf)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
});

test("zero has no shade, equal numbers have the same shade, and the maximum has the darkest", () => {
  const many = shadeScaleOf([0, 0, 1, 1, 1, 1, 1, 1, 2]);

  expect([0, 1, 2].map(many.shadeOf)).toEqual([0, 3, shadesMax]);
  expect(shadeScaleOf([7, 7]).shadeOf(7)).toBe(shadesMax);
  expect(shadeScaleOf([]).shadeOf(7)).toBe(0);
});

test("the ranges name the numbers of each used shade", () => {
  expect(shadeScaleOf([3, 1, 9, 3, 0]).ranges).toEqual([
    { shade: 2, range: { from: 1, to: 1 } },
    { shade: 4, range: { from: 3, to: 3 } },
    { shade: 5, range: { from: 9, to: 9 } },
  ]);
  expect(shadeScaleOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).ranges[0]).toEqual({ shade: 1, range: { from: 1, to: 2 } });
});
