import { expect, test } from "bun:test";
import { AliasTable } from "./alias-table.ts";
import { SeededRandom } from "./seeded-random.ts";

test("each index is drawn as often as its weight says, also after fill has replaced the weights", () => {
  const random = new SeededRandom(7);
  const table = new AliasTable([1, 1, 1, 1, 1]);
  const weights = [0, 5, 1, 0.5, 13.5];
  const draws = 200_000;

  table.fill(weights);
  const counts = [0, 0, 0, 0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const index = table.draw(random.next());
    counts[index] = (counts[index] ?? 0) + 1;
  }

  expect(counts[0]).toBe(0);
  for (const [index, weight] of weights.entries()) {
    expect((counts[index] ?? 0) / draws).toBeCloseTo(weight / 20, 2);
  }
});

test("a single index is always drawn", () => {
  const table = new AliasTable([3]);

  expect([0, 0.5, 0.999_999].map((chance) => table.draw(chance))).toEqual([0, 0, 0]);
});

test.each([[[]], [[0, 0]], [[Number.NaN]]])("weights of %p are rejected", (weights) => {
  expect(() => new AliasTable(weights)).toThrow("there is nothing to draw");
});
