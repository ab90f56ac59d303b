import { describe, expect, test } from "bun:test";
import { scrollToSee, visibleRows } from "./visible-rows.ts";

const rows = { count: 100_000, rowPx: 50, overscan: 2 };

describe("rows in sight", () => {
  test.each([
    ["at the page's top", 0, { first: 0, last: 16 }],
    ["in the middle", 2_500_000, { first: 49_994, last: 50_016 }],
    ["at the end", 5_000_000 - 700 + 200, { first: 99_984, last: 99_999 }],
    ["far beyond the end", 9_000_000, { first: 99_999, last: 99_999 }],
  ])("%s", (_, scrollPx, expected) => {
    expect(visibleRows(rows, { scrollPx, heightPx: 900, topPx: 200 })).toEqual(expected);
  });

  test("are none of an empty list", () => {
    expect(visibleRows({ ...rows, count: 0 }, { scrollPx: 0, heightPx: 900, topPx: 200 })).toEqual({
      first: 0,
      last: -1,
    });
  });

  test("are brought there with as little scrolling as it takes", () => {
    const view = { scrollPx: 1_000, heightPx: 500, topPx: 200 };

    expect([10, 20, 30].map((index) => scrollToSee(index, 50, view, 60))).toEqual([640, 1_000, 1_310]);
  });
});
