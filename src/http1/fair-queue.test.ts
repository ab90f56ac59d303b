import { expect, test } from "bun:test";
import { type DomainQueue, FairQueue, inFlightMax, type QueuedConnection } from "./fair-queue.ts";

/** A connection that records its start and finishes at once. */
function visitor(name: string, queue: DomainQueue, called: string[], isThere = true): QueuedConnection {
  return {
    startQueued() {
      if (!isThere) return false;
      called.push(name);
      queue.release();
      return true;
    },
  };
}

/** Resolves after the tick. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function full(queue: DomainQueue): void {
  for (let place = 0; place < inFlightMax; place++) expect(queue.tryAcquire(visitor("other", queue, []))).toBe(true);
}

test("each domain has its own bound of requests in flight", () => {
  const queues = new FairQueue();
  const flooded = queues.queueOf("flooded");
  full(flooded);

  expect(flooded.tryAcquire(visitor("late", flooded, []))).toBe(false);

  const calm = queues.queueOf("calm");
  expect(calm.tryAcquire(visitor("early", calm, []))).toBe(true);
});

test("a released slot goes to the first waiting request at the end of the tick", async () => {
  const queue = new FairQueue().queueOf("flooded");
  const called: string[] = [];
  full(queue);
  for (const name of ["first", "second", "third"]) queue.tryAcquire(visitor(name, queue, called));

  queue.release();
  queue.release();
  const atOnce = [...called];
  await turn();

  expect({ atOnce, called }).toEqual({ atOnce: [], called: ["first", "second"] });
});

test("a tick starts no more requests than the bound", async () => {
  const queue = new FairQueue().queueOf("flooded");
  const called: string[] = [];
  const counts: number[] = [];
  full(queue);
  for (let place = 0; place < 3 * inFlightMax; place++) queue.tryAcquire(visitor(String(place), queue, called));
  for (let place = 0; place < inFlightMax; place++) queue.release();

  while (called.length < 3 * inFlightMax) {
    await turn();
    counts.push(called.length);
  }

  expect(counts.filter((count) => count > 0)).toEqual([inFlightMax, 2 * inFlightMax, 3 * inFlightMax]);
  expect(called).toEqual(Array.from({ length: 3 * inFlightMax }, (_, place) => String(place)));
});

test("a client that has gone takes no slot", async () => {
  const queue = new FairQueue().queueOf("flooded");
  const called: string[] = [];
  full(queue);
  for (let place = 0; place < inFlightMax; place++) queue.tryAcquire(visitor("gone", queue, called, false));
  queue.tryAcquire(visitor("there", queue, called));

  queue.release();
  await turn();

  expect(called).toEqual(["there"]);
});

test("a request that arrives while others wait queues behind them", async () => {
  const queue = new FairQueue().queueOf("flooded");
  const called: string[] = [];
  full(queue);
  for (const name of ["first", "second"]) queue.tryAcquire(visitor(name, queue, called));
  queue.release();
  await turn();

  expect(queue.tryAcquire(visitor("third", queue, called))).toBe(false);
  await turn();
  await turn();

  expect(called).toEqual(["first", "second", "third"]);
});

test("idle queues are dropped, and no others", () => {
  const queues = new FairQueue();
  const busy = queues.queueOf("busy");
  full(busy);

  for (let domain = 0; domain < 10_000; domain++) queues.queueOf(`domain ${domain}`);

  expect(queues.queueOf("busy").tryAcquire(visitor("late", busy, []))).toBe(false);
  expect(queues.size).toBeLessThan(2_000);
});
