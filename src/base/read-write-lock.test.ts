import { expect, test } from "bun:test";
import { ReadWriteLock } from "./read-write-lock.ts";

/** Work that records its begin and end, and ends on request. */
function follow(events: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    events.push(`${name} begins`);
    await promise;
    events.push(`${name} ends`);
    return name;
  };
  return { work, let: resolve };
}

test("exclusive work waits for running shared work, and later work waits for it", async () => {
  const lock = new ReadWriteLock();
  const events: string[] = [];
  const [one, two, exclusive, later, exclusiveToo] = ["one", "two", "alone", "later", "alone too"].map((name) =>
    follow(events, name),
  );
  if (!one || !two || !exclusive || !later || !exclusiveToo) throw new Error("There are five.");

  const runs = [lock.shared(one.work), lock.shared(two.work), lock.exclusive(exclusive.work)];
  runs.push(lock.shared(later.work), lock.exclusive(exclusiveToo.work));
  two.let();
  one.let();
  later.let();
  await Promise.all(runs.slice(0, 2));
  exclusive.let();
  exclusiveToo.let();

  expect(await Promise.all(runs)).toEqual(["one", "two", "alone", "later", "alone too"]);
  expect(events).toEqual([
    ...["one begins", "two begins", "two ends", "one ends"],
    ...["alone begins", "alone ends", "later begins", "later ends", "alone too begins", "alone too ends"],
  ]);
});

test("failed work releases the lock", async () => {
  const lock = new ReadWriteLock();
  const fail = () => Promise.reject(new Error("no"));

  await expect(lock.shared(fail)).rejects.toThrow("no");
  await expect(lock.exclusive(fail)).rejects.toThrow("no");

  expect(await lock.shared(async () => "beside")).toBe("beside");
  expect(await lock.exclusive(async () => "alone")).toBe("alone");
});
