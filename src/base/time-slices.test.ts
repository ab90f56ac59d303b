import { expect, test } from "bun:test";
import { mapInSlices, yieldIfSliceSpent } from "./time-slices.ts";

/** Blocks the thread for longer than a slice. */
function work(): void {
  const until = performance.now() + 4;
  while (performance.now() < until);
}

test("concurrent work takes turns, and other callbacks run between two slices", async () => {
  const done: string[] = [];
  let isServing = true;
  const serve = () => {
    if (done.at(-1) !== "visitor") done.push("visitor");
    if (isServing) setImmediate(serve);
  };
  setImmediate(serve);
  await new Promise((resolve) => setImmediate(resolve));

  const steps = async (name: string) =>
    await mapInSlices([1, 2], (step) => {
      work();
      done.push(`${name}${step}`);
    });
  await Promise.all([steps("a"), steps("b")]);
  isServing = false;

  expect(done).toEqual(["visitor", "a1", "visitor", "b1", "visitor", "a2", "visitor", "b2"]);
});

test("short work does not wait for another tick", async () => {
  let hasTicked = false;
  await new Promise((resolve) => setImmediate(resolve));
  setImmediate(() => {
    hasTicked = true;
  });

  await yieldIfSliceSpent();
  await yieldIfSliceSpent();

  expect(hasTicked).toBe(false);
});

test("returns the results in the order of the items", async () => {
  expect(await mapInSlices([3, 1, 2], async (item) => item * 2)).toEqual([6, 2, 4]);
});
