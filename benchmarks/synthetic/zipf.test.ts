import { describe, expect, test } from "bun:test";
import { apportion, zipfShares } from "./zipf.ts";

describe("zipfShares", () => {
  test("the largest of 100 workspaces has about 20,000,000 of 100,000,000 clicks, and one has about 1,000,000", () => {
    const sizes = Array.from(zipfShares(100), (share) => Math.round(share * 100_000_000));

    expect(sizes[0]).toBeWithin(19_000_000, 21_000_000);
    expect(sizes.filter((size) => size > 950_000 && size < 1_050_000)).not.toBeEmpty();
  });

  test("the shares add up to 1", () => {
    expect(zipfShares(12_345).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  });
});

describe("apportion", () => {
  test.each([
    [100, 100],
    [101, 100],
    [100_000, 100],
    [999, 7],
    [1, 1],
  ])("%i in %i parts: the parts add up to the total, and each is at least 1", (total, count) => {
    const parts = apportion(total, zipfShares(count));

    expect(parts).toHaveLength(count);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
    expect(Math.min(...parts)).toBeGreaterThanOrEqual(1);
  });

  test("a total below the number of parts is rejected", () => {
    expect(() => apportion(2, zipfShares(3))).toThrow("2 cannot be shared out among 3");
  });
});
