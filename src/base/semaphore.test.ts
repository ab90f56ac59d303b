import { expect, test } from "bun:test";
import { Semaphore } from "./semaphore.ts";

test("runs at most runningMax at once, the rest in order, and rejects work when the queue is full", async () => {
  const semaphore = new Semaphore({ runningMax: 2, waitingMax: 3 });
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

  const kinds = (await Promise.all([1, 2, 3, 4, 5, 6, 7].map((number) => semaphore.run(() => work(number))))).map(
    ({ kind }) => kind,
  );

  expect(kinds).toEqual(["done", "done", "done", "done", "done", "full", "full"]);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(runningMost).toBe(2);
});

test("failed work releases its place", async () => {
  const semaphore = new Semaphore({ runningMax: 1, waitingMax: 1 });
  const failing = semaphore.run(() => Promise.reject(new Error("no")));
  const waiting = semaphore.run(async () => "ran");

  await expect(failing).rejects.toThrow("no");
  expect(await waiting).toEqual({ kind: "done", value: "ran" });
  expect(await semaphore.run(async () => "again")).toEqual({ kind: "done", value: "again" });
});

/** A semaphore with two waiting places per party, and a running job that the test ends. */
function busy() {
  const semaphore = new Semaphore({ runningMax: 1, waitingMax: 5, waitingPerPartyMax: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = semaphore.run(() => promise);
  const end = async () => {
    resolve();
    await running;
  };
  return { semaphore, end };
}

test("one party can take only its share of the queue", async () => {
  const { semaphore, end } = busy();

  const waiting = ["a", "a", "a", "b"].map((party) => semaphore.run(async () => party, { party }));
  await end();

  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(["done", "done", "partyFull", "done"]);
});

test("work of other parties overtakes that of a party whose share is running", async () => {
  const semaphore = new Semaphore({ runningMax: 2, waitingMax: 5, runningPerPartyMax: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const run = (name: string, party: string, work = async () => {}) =>
    semaphore.run(
      () => {
        begun.push(name);
        return work();
      },
      { party },
    );

  const slow = [run("a1", "a", () => promise), run("a2", "a")];
  await Promise.all([run("b1", "b"), run("b2", "b")]);
  const begunBesideSlow = [...begun];
  resolve();
  await Promise.all(slow);

  expect(begunBesideSlow).toEqual(["a1", "b1", "b2"]);
  expect(begun).toEqual(["a1", "b1", "b2", "a2"]);
  expect(semaphore.load).toEqual({ running: 0, waiting: 0 });
});

test("aborted work leaves the queue and never starts", async () => {
  const { semaphore, end } = busy();
  const started: string[] = [];
  const gone = new AbortController();
  const run = (name: string, signal?: AbortSignal) =>
    semaphore.run(
      async () => {
        started.push(name);
      },
      { party: "a", signal },
    );

  const left = run("left", gone.signal);
  const stays = run("stays");
  gone.abort();
  const follows = run("follows");
  const late = run("late", gone.signal);
  await end();

  expect(await Promise.all([left, stays, follows, late])).toMatchObject([
    { kind: "aborted" },
    { kind: "done" },
    { kind: "done" },
    { kind: "aborted" },
  ]);
  expect(started).toEqual(["stays", "follows"]);
});

test("with turns, the work of other parties overtakes that of a party with much of it", async () => {
  const semaphore = new Semaphore({ runningMax: 1, waitingMax: 10, takesTurns: true });
  const begun: string[] = [];
  const run = (party: string) => semaphore.run(async () => begun.push(party), { party });

  const first = ["a", "a", "a", "a", "b", "c"].map(run);
  const again = first[4]?.then(() => run("b"));
  await Promise.all([...first, again]);

  expect(begun.join("")).toBe("aabcbaa");
});
