import { expect, test } from "bun:test";
import { LruCache } from "./lru-cache.ts";

test("the last entriesMax keys are found", () => {
  const recent = new LruCache<number, string>(3);

  for (let key = 0; key < 100; key++) recent.set(key, `value ${key}`);

  expect([97, 98, 99].map((key) => recent.get(key))).toEqual(["value 97", "value 98", "value 99"]);
});

test("at most twice entriesMax entries are held, however many are set", () => {
  const recent = new LruCache<number, number>(10);
  let sizeMax = 0;

  for (let key = 0; key < 1_000; key++) {
    recent.set(key, key);
    recent.get(key - 15);
    sizeMax = Math.max(sizeMax, recent.size);
  }

  expect(sizeMax).toBeLessThanOrEqual(20);
  expect(recent.get(0)).toBeUndefined();
});

test("a key in constant use is never evicted", () => {
  const recent = new LruCache<string, number>(4);
  recent.set("often", 1);

  for (let key = 0; key < 100; key++) {
    recent.set(`once ${key}`, key);
    expect(recent.get("often")).toBe(1);
  }
});

test("a new value replaces the old one in either generation", () => {
  const recent = new LruCache<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 1);
  recent.set("c", 1);

  recent.set("a", 2);

  expect(recent.get("a")).toBe(2);
});

test("a deleted or cleared key is not found in either generation", () => {
  const recent = new LruCache<string, number>(2);
  for (const key of ["a", "b", "c", "d"]) recent.set(key, 1);
  recent.set("d", 2);

  recent.delete("b");
  recent.delete("d");

  expect(recent.get("b")).toBeUndefined();
  expect(recent.get("d")).toBeUndefined();
  recent.clear();
  expect(recent.size).toBe(0);
});

test("falsy values are cached", () => {
  const recent = new LruCache<string, string | number | boolean | null>(2);

  for (const value of ["", 0, false, null]) {
    recent.set("key", value);

    expect(recent.get("key")).toBe(value);
  }
});

test("a bound that is not a positive integer is refused", () => {
  for (const bound of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => new LruCache(bound)).toThrow("entriesMax");
  }
});

test("a key cut from a long text does not keep that text in memory", () => {
  const recent = new LruCache<string, number>(1_000);
  const textBytes = 1024 ** 2;
  const before = memoryBytes();

  for (let key = 0; key < 300; key++) {
    const text = Buffer.alloc(textBytes, `a separate text, number ${key}. `).toString("latin1");
    recent.set(text.slice(1_000, 1_100), key);
  }

  expect(recent.size).toBe(300);
  expect((memoryBytes() - before) / textBytes).toBeLessThan(150);
});

test("keys with lone surrogates are distinct", () => {
  const recent = new LruCache<string, number>(10);

  recent.set("\ud800", 1);
  recent.set("\ufffd", 2);

  expect([recent.get("\ud800"), recent.get("\ufffd")]).toEqual([1, 2]);
});

function memoryBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().rss;
}
