import { expect, test } from "bun:test";
import { Standstill } from "./standstill.ts";

/** Work that says when it begins and ends, and ends when it is let. */
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

test("work alone waits for what is under way, and what comes meanwhile waits for it", async () => {
  const standstill = new Standstill();
  const events: string[] = [];
  const [one, two, alone, later, aloneToo] = ["one", "two", "alone", "later", "alone too"].map((name) =>
    follow(events, name),
  );
  if (!one || !two || !alone || !later || !aloneToo) throw new Error("There are five.");

  const runs = [standstill.beside(one.work), standstill.beside(two.work), standstill.alone(alone.work)];
  runs.push(standstill.beside(later.work), standstill.alone(aloneToo.work));
  two.let();
  one.let();
  later.let();
  await Promise.all(runs.slice(0, 2));
  alone.let();
  aloneToo.let();

  expect(await Promise.all(runs)).toEqual(["one", "two", "alone", "later", "alone too"]);
  expect(events).toEqual([
    ...["one begins", "two begins", "two ends", "one ends"],
    ...["alone begins", "alone ends", "later begins", "later ends", "alone too begins", "alone too ends"],
  ]);
});

test("work that fails lets the others go on", async () => {
  const standstill = new Standstill();
  const fail = () => Promise.reject(new Error("no"));

  await expect(standstill.beside(fail)).rejects.toThrow("no");
  await expect(standstill.alone(fail)).rejects.toThrow("no");

  expect(await standstill.beside(async () => "beside")).toBe("beside");
  expect(await standstill.alone(async () => "alone")).toBe("alone");
});
