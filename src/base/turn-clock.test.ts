import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { onceATurn } from "./turn-clock.ts";

test("a clock is read once in each turn, and anew in the next", async () => {
  let reads = 0;
  const now = onceATurn(() => ++reads);

  const first = [now(), now(), await Promise.resolve().then(now)];
  await nextTurn();
  const second = [now(), now()];

  expect(first).toEqual([1, 1, 1]);
  expect(second).toEqual([2, 2]);
});
