import { expect, test } from "bun:test";
import { Turns } from "./turns.ts";

test("no more runs at once than may, the rest waits in order, and what finds the queue full is refused", async () => {
  const turns = new Turns({ runningMax: 2, waitingMax: 3 });
  const begun: number[] = [];
  let running = 0;
  let runningMost = 0;
  const work = async (number: number) => {
    begun.push(number);
    runningMost = Math.max(runningMost, ++running);
    await Promise.resolve();
    running--;
    return number;
  };

  const kinds = (await Promise.all([1, 2, 3, 4, 5, 6, 7].map((number) => turns.run(() => work(number))))).map(
    ({ kind }) => kind,
  );

  expect(kinds).toEqual(["done", "done", "done", "done", "done", "full", "full"]);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(runningMost).toBe(2);
});

test("work that fails gives its turn back", async () => {
  const turns = new Turns({ runningMax: 1, waitingMax: 1 });
  const failing = turns.run(() => Promise.reject(new Error("no")));
  const waiting = turns.run(async () => "ran");

  await expect(failing).rejects.toThrow("no");
  expect(await waiting).toEqual({ kind: "done", value: "ran" });
  expect(await turns.run(async () => "again")).toEqual({ kind: "done", value: "again" });
});
