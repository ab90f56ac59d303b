import { expect, test } from "bun:test";
import { TimedCache } from "./timed-cache.ts";

test("a value is read again when its life is over, or the clock was set back", async () => {
  let now = 1_000;
  const cache = new TimedCache<string, number>({ entriesMax: 10, lifeMs: 50, now: () => now });
  let reads = 0;
  const findAt = async (time: number) => {
    now = time;
    return await cache.find("key", async () => ++reads);
  };

  const found = [await findAt(1_000), await findAt(1_049), await findAt(1_050), await findAt(900)];

  expect(found).toEqual([1, 1, 2, 3]);
});
