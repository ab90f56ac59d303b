import { expect, test } from "bun:test";
import { atOnceMax, type Line, Lines, type Waiting } from "./lines.ts";

/** Somebody who notes when they are called, and leaves at once. */
function visitor(name: string, line: Line, called: string[], isThere = true): Waiting {
  return {
    callUp() {
      if (!isThere) return false;
      called.push(name);
      line.leave();
      return true;
    },
  };
}

/** Resolves when what waited for the turn's end has been done. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function full(line: Line): void {
  for (let place = 0; place < atOnceMax; place++) expect(line.enter(visitor("nobody", line, []))).toBe(true);
}

test("a line has so many places at once, and another line has its own", () => {
  const lines = new Lines();
  const flooded = lines.of("flooded");
  full(flooded);

  expect(flooded.enter(visitor("late", flooded, []))).toBe(false);

  const calm = lines.of("calm");
  expect(calm.enter(visitor("early", calm, []))).toBe(true);
});

test("a place that is given back is taken until the turn ends, and then by who came first", async () => {
  const line = new Lines().of("flooded");
  const called: string[] = [];
  full(line);
  for (const name of ["first", "second", "third"]) line.enter(visitor(name, line, called));

  line.leave();
  line.leave();
  const atOnce = [...called];
  await turn();

  expect({ atOnce, called }).toEqual({ atOnce: [], called: ["first", "second"] });
});

test("of many in line, no more are called in a turn than there are places", async () => {
  const line = new Lines().of("flooded");
  const called: string[] = [];
  const counts: number[] = [];
  full(line);
  for (let place = 0; place < 3 * atOnceMax; place++) line.enter(visitor(String(place), line, called));
  for (let place = 0; place < atOnceMax; place++) line.leave();

  while (called.length < 3 * atOnceMax) {
    await turn();
    counts.push(called.length);
  }

  expect(counts.filter((count) => count > 0)).toEqual([atOnceMax, 2 * atOnceMax, 3 * atOnceMax]);
  expect(called).toEqual(Array.from({ length: 3 * atOnceMax }, (_, place) => String(place)));
});

test("who has gone meanwhile takes no place", async () => {
  const line = new Lines().of("flooded");
  const called: string[] = [];
  full(line);
  for (let place = 0; place < atOnceMax; place++) line.enter(visitor("gone", line, called, false));
  line.enter(visitor("there", line, called));

  line.leave();
  await turn();

  expect(called).toEqual(["there"]);
});

test("who comes while others stand in line stands behind them", async () => {
  const line = new Lines().of("flooded");
  const called: string[] = [];
  full(line);
  for (const name of ["first", "second"]) line.enter(visitor(name, line, called));
  line.leave();
  await turn();

  expect(line.enter(visitor("third", line, called))).toBe(false);
  await turn();
  await turn();

  expect(called).toEqual(["first", "second", "third"]);
});

test("lines in which nobody stands are forgotten, and no other", () => {
  const lines = new Lines();
  const busy = lines.of("busy");
  full(busy);

  for (let domain = 0; domain < 10_000; domain++) lines.of(`domain ${domain}`);

  expect(lines.of("busy").enter(visitor("late", busy, []))).toBe(false);
  expect(lines.size).toBeLessThan(2_000);
});
