import { expect, test } from "bun:test";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import { LruPairCache } from "./lru-pair-cache.ts";

test("the last entriesMax pairs are found, whatever their first texts", () => {
  const recent = new LruPairCache<number>(10);

  for (let number = 0; number < 100; number++) recent.set(`first ${number % 3}`, `second ${number}`, number);

  for (let number = 90; number < 100; number++) {
    expect(recent.get(`first ${number % 3}`, `second ${number}`)).toBe(number);
  }
  expect(recent.get("first 0", "second 0")).toBeUndefined();
  expect(recent.get("first 1", "second 99")).toBeUndefined();
});

test("a pair in constant use is never evicted", () => {
  const recent = new LruPairCache<number>(4);
  recent.set("a", "often", 1);

  for (let number = 0; number < 100; number++) {
    recent.set("a", `once ${number}`, number);
    expect(recent.get("a", "often")).toBe(1);
  }
});

test("get returns the value that was set last and not deleted since, after any sequence of calls", () => {
  const random = seededRandom(5);
  const recent = new LruPairCache<number>(1_000);
  const expected = new Map<string, number>();
  const names = ["a", "b", "c", "d"];

  for (let step = 0; step < 20_000; step++) {
    const [first, second] = [pick(random, names), pick(random, names)];
    const name = `${first}/${second}`;
    const action = random();
    if (action < 0.3) {
      recent.set(first, second, step);
      expected.set(name, step);
    } else if (action < 0.5) {
      recent.delete(first, second);
      expected.delete(name);
    } else if (action < 0.501) {
      recent.clear();
      expected.clear();
    }
    expect(recent.get(first, second)).toBe(expected.get(name));
  }
});

test("hasRoom is true until an entry would be evicted, and again after clear", () => {
  const recent = new LruPairCache<number>(2);
  expect(recent.hasRoom).toBe(true);

  recent.set("a", "1", 1);
  recent.set("b", "2", 2);
  expect(recent.hasRoom).toBe(false);

  recent.set("a", "3", 3);
  expect(recent.hasRoom).toBe(false);

  recent.clear();
  expect(recent.hasRoom).toBe(true);
});
