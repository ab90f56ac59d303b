import { expect, test } from "bun:test";
import { KeyCache } from "./key-cache.ts";

test("texts have the key that was set, even if others share their lookup key", () => {
  const keys = new KeyCache(100);
  keys.set("b", [1, "a", "b"], 7);
  keys.set("b", [2, "a", "b"], 8);

  const found = [1, 2, 3].map((first) => keys.get("b", [first, "a", "b"]));

  expect(found).toEqual([7, 8, undefined]);
});

test("the most recently used entries stay when the cache is full", () => {
  const keys = new KeyCache(10);
  keys.set("kept", ["kept"], 1);

  for (let other = 0; other < 1_000; other++) {
    keys.set(`other ${other}`, [`other ${other}`], other);
    expect(keys.get("kept", ["kept"])).toBe(1);
  }

  expect(keys.get("other 1", ["other 1"])).toBeUndefined();
});

test("only the last of many entries with the same lookup key stay, so that lookups are short", () => {
  const keys = new KeyCache(10_000);

  for (let other = 0; other < 1_000; other++) keys.set("same", ["same", other], other);

  const found = Array.from({ length: 1_000 }, (_, other) => keys.get("same", ["same", other])).filter(
    (key) => key !== undefined,
  );
  expect(found.length).toBeLessThan(100);
  expect(found.at(-1)).toBe(999);
});
