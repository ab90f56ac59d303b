import { expect, test } from "bun:test";
import { openConcurrencyLimit } from "./concurrency-limit.ts";

test("at most the allowed number runs at once, and all run in order", async () => {
  const limited = openConcurrencyLimit(2);
  const started: number[] = [];
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const all = ends.map(({ promise }, index) =>
    limited(async () => {
      started.push(index);
      await promise;
      return index;
    }),
  );

  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  ends[1]?.resolve();
  await all[1];
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

test("failed work frees its slot for the next work", async () => {
  const limited = openConcurrencyLimit(1);
  const failed = limited(() => Promise.reject(new Error("no")));

  expect(failed).rejects.toThrow("no");
  expect(await limited(async () => "yes")).toBe("yes");
});
