import { expect, test } from "bun:test";
import { FairQueue } from "./fair-queue.ts";

/** Jobs that the test ends, and the order in which they began. */
function openWorld(options: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  let time = 0;
  const queue = new FairQueue<string>({
    ...{ longMs: 100, waitingMax: 100, waitingPerPartyMax: 10, waitMaxMs: 10_000, now: () => time },
    ...options,
  });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (party: string, name: string) =>
    queue.run(party, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  /** Ends work after `tookMs`, and waits until the next work has begun. */
  const end = async (name: string, tookMs: number) => {
    time += tookMs;
    ends.get(name)?.();
    await settled();
  };
  return { queue, begun, ask, end };
}

/** Resolves after all callbacks of settled promises have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a party has at most one running job, and another party's job runs at the same time", async () => {
  const { begun, ask } = openWorld();

  void ask("a", "a1");
  void ask("a", "a2");
  void ask("b", "b1");
  await settled();

  expect(begun).toEqual(["a1", "b1"]);
});

test("parties are served round robin, however many jobs one of them has", async () => {
  const { begun, ask, end } = openWorld();
  for (const name of ["a1", "a2", "a3"]) void ask("a", name);
  for (const name of ["b1", "b2"]) void ask("b", name);
  void ask("c", "c1");
  await settled();

  await end("a1", 1);
  await end("c1", 1);
  await end("b1", 1);
  await end("a2", 1);

  expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("parties with slow jobs leave one lane to the others", async () => {
  const { begun, ask, end } = openWorld();
  for (const party of ["a", "b"]) for (const number of [1, 2]) void ask(party, `${party}${number}`);
  await settled();
  await end("a1", 5_000);
  await end("b1", 1);
  expect(begun).toEqual(["a1", "b1", "a2"]);

  void ask("c", "c1");
  await settled();
  await end("c1", 1);
  void ask("c", "c2");
  await settled();

  expect(begun).toEqual(["a1", "b1", "a2", "c1", "c2"]);
});

test("a job is rejected when the queue of its party or of all is full, or when it waited too long", async () => {
  const { ask, end } = openWorld({ waitingMax: 3, waitingPerPartyMax: 2, waitMaxMs: 50 });
  void ask("a", "a1");
  const second = ask("a", "a2");
  void ask("a", "a3");

  expect(await ask("a", "a4")).toEqual({ kind: "partyFull" });
  void ask("b", "b1");
  void ask("b", "b2");
  expect(await ask("c", "c1")).toEqual({ kind: "full" });
  await end("a1", 60);

  expect(await second).toEqual({ kind: "late" });
});

test("a failed job releases its lane", async () => {
  const { queue, ask, begun } = openWorld();

  const failed = queue.run("a", () => Promise.reject(new Error("lost")));

  expect(failed).rejects.toThrow("lost");
  await settled();
  void ask("a", "a1");
  await settled();
  expect(begun).toEqual(["a1"]);
});
