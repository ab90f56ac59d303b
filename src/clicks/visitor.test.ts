import { expect, test } from "bun:test";
import { dayMs, utcDay } from "../base/time.ts";
import { visitorText } from "./spool-format.ts";
import { type DaySalts, visitorHasher } from "./visitor.ts";

const midnight = Date.UTC(2026, 10, 21);
const address = "198.51.100.7";
const agent = "Mozilla/5.0";

/** A hasher whose clock and salts the test sets. */
function newHasher(...days: [string, string][]) {
  const state = { now: midnight, salts: new Map(days) as DaySalts };
  const hashVisitor = visitorHasher(() => state.salts);
  const hash = (from: string, using: string) => {
    const { high, low } = hashVisitor(from, using, state.now);
    return visitorText(high, low);
  };
  return { state, hash };
}

const today = utcDay(midnight);
const yesterday = utcDay(midnight - 1);
const tomorrow = utcDay(midnight + dayMs);

test("the hash is 16 hex digits and holds neither address nor user agent", () => {
  const { hash } = newHasher([today, "salt"]);

  expect(hash(address, agent)).toMatch(/^[0-9a-f]{16}$/);
});

test("one address and user agent have one hash during a UTC day, and another hash on the next", () => {
  const { state, hash } = newHasher([yesterday, "a"], [today, "b"], [tomorrow, "c"]);
  const at = (now: number) => {
    state.now = now;
    return hash(address, agent);
  };

  const hashes = [midnight - dayMs, midnight - 1, midnight, midnight + dayMs - 1, midnight + dayMs].map(at);

  expect(hashes[0]).toBe(hashes[1] ?? "");
  expect(hashes[2]).toBe(hashes[3] ?? "");
  expect(new Set(hashes).size).toBe(3);
});

test("another address, another user agent or another salt makes another hash", () => {
  const { hash } = newHasher([today, "a"]);
  const { hash: otherSalt } = newHasher([today, "b"]);

  const hashes = [
    hash(address, agent),
    hash("198.51.100.8", agent),
    hash(address, "Mozilla/5.1"),
    hash(address, ""),
    otherSalt(address, agent),
  ];

  expect(new Set(hashes).size).toBe(hashes.length);
});

test("a restart with the same salt gives the same hash, so that no visitor is counted twice", () => {
  const first = newHasher([today, "salt"]);
  const second = newHasher([today, "salt"]);

  expect(second.hash(address, agent)).toBe(first.hash(address, agent));
});

test("without a salt of the day there is no hash, and there is one as soon as the salt is known", () => {
  const { state, hash } = newHasher([yesterday, "a"]);

  expect(hash(address, agent)).toBe("");
  state.salts = new Map([[today, "b"]]);

  expect(hash(address, agent)).toMatch(/^[0-9a-f]{16}$/);
});

test("after midnight, yesterday's salt is not used, even if the new one is late", () => {
  const { state, hash } = newHasher([today, "a"]);
  const before = hash(address, agent);

  state.now = midnight + dayMs;

  expect(hash(address, agent)).toBe("");
  state.salts = new Map([[tomorrow, "b"]]);
  expect(hash(address, agent)).not.toBe(before);
});

test("a clock set back over midnight uses the salt of the day it shows", () => {
  const { state, hash } = newHasher([yesterday, "a"], [today, "b"]);
  state.now = midnight - 1;
  const before = hash(address, agent);
  state.now = midnight;
  hash(address, agent);

  state.now = midnight - 1;

  expect(hash(address, agent)).toBe(before);
});
