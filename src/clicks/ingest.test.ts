import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import {
  append,
  appendTick,
  capturedClick,
  capturedClicks,
  spoolFolder,
  testSpool,
} from "../../tests/support/spools.ts";
import { ingest } from "./ingest.ts";
import type { Spool } from "./spool.ts";
import { segmentFileName } from "./spool-format.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb/duckdb-store.ts";

/** Thrown at the point where the process is killed. */
class Killed extends Error {}

let folder: ReturnType<typeof spoolFolder>;
let spool: Spool;
let store: ClickStore;
let storePath = "";
const removals: (() => void)[] = [];

beforeEach(async () => {
  folder = spoolFolder();
  removals.push(folder.remove);
  spool = testSpool(folder.directory);
  storePath = join(folder.directory, "../clicks.duckdb");
  store = await openDuckDbStore({ path: storePath, threads: 1 });
});
afterEach(async () => {
  spool.close();
  await store.close();
});
afterAll(() => {
  for (const remove of removals) remove();
});

function location() {
  return { spoolId: spool.id, directory: folder.directory };
}

/** Ingests until the cursor stays; returns the number of clicks reported as stored. */
async function ingestAll(): Promise<number> {
  let stored = 0;
  for (let cursor = -1; ; ) {
    const step = await ingest(store, location());
    stored += step.stored;
    if (step.cursor === cursor) return stored;
    cursor = step.cursor;
  }
}

/** The numbers of the stored clicks in the spool's order, including duplicates. */
async function storedNumbers(): Promise<number[]> {
  await store.close();
  const instance = await DuckDBInstance.create(storePath, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const result = await connection.runAndReadAll('SELECT "key" FROM clicks ORDER BY "id"');
  connection.closeSync();
  instance.closeSync();
  store = await openDuckDbStore({ path: storePath, threads: 1 });
  return result.getRows().map(([key]) => Number(key));
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** The store of a process that is killed right after the commit of an insert, before it answers. */
function killedAfterCommit(): ClickStore {
  return {
    ...store,
    async insert(batch, rows) {
      await store.insert(batch, rows);
      throw new Killed();
    },
  };
}

/** The store of a process that is killed right before an insert. */
function killedBeforeInsert(): ClickStore {
  return { ...store, insert: () => Promise.reject(new Killed()) };
}

describe("ingest", () => {
  test("moves every click to the store in order, in batches", async () => {
    for (let from = 0; from < 30; from += 10) await appendTick(spool, capturedClicks(from, from + 10));

    expect(await ingest(store, location())).toEqual({
      ...{ from: 0, cursor: spool.end(), stored: 30, workspaceIds: [1], missedBytes: 0, unknownClicks: 0, damages: [] },
    });

    expect(await storedNumbers()).toEqual(numbers(0, 30));
    expect(await store.cursor(spool.id)).toBe(spool.end());
  });

  test("moves a bounded batch and continues from there", async () => {
    const clicks = 6_000;
    expect(clicks).toBeGreaterThan(store.batchClicksMax);
    for (let from = 0; from < clicks; from += 1_000) {
      await appendTick(spool, capturedClicks(from, from + 1_000));
    }

    const first = await ingest(store, location());
    const second = await ingest(store, location());

    // The last frame may exceed the limit.
    expect(first.stored).toBeLessThan(store.batchClicksMax + 1_000);
    expect(first.stored + second.stored).toBe(clicks);
    expect(second.cursor).toBe(spool.end());
    expect(await storedNumbers()).toEqual(numbers(0, clicks));
  });

  test("without new clicks, stores nothing and keeps the cursor", async () => {
    await append(spool, capturedClick(0));
    await ingest(store, location());

    expect(await ingest(store, location())).toEqual({
      ...{
        from: spool.end(),
        cursor: spool.end(),
        stored: 0,
        workspaceIds: [],
        missedBytes: 0,
        unknownClicks: 0,
        damages: [],
      },
    });
    expect(await storedNumbers()).toEqual([0]);
  });

  test("killed after the commit and before the cursor was reported, stores each click once", async () => {
    await appendTick(spool, capturedClicks(0, 10));

    await expect(ingest(killedAfterCommit(), location())).rejects.toBeInstanceOf(Killed);
    await appendTick(spool, capturedClicks(10, 20));

    expect(await ingestAll()).toBe(10);
    expect(await storedNumbers()).toEqual(numbers(0, 20));
  });

  test("killed before the commit, stores each click once", async () => {
    await appendTick(spool, capturedClicks(0, 10));

    await expect(ingest(killedBeforeInsert(), location())).rejects.toBeInstanceOf(Killed);

    expect(await store.cursor(spool.id)).toBe(0);
    expect(await ingestAll()).toBe(10);
    expect(await storedNumbers()).toEqual(numbers(0, 10));
  });

  test("two concurrent steps, as after a caller's timeout, store each click once", async () => {
    await appendTick(spool, capturedClicks(0, 100));

    await Promise.allSettled([ingest(store, location()), ingest(store, location()), ingest(store, location())]);

    await ingestAll();
    expect(await storedNumbers()).toEqual(numbers(0, 100));
  });

  test("a store whose cursor is before the first segment learns how many bytes it missed, and continues after them", async () => {
    spool.close();
    spool = testSpool(folder.directory, { furthestCursor: 10_000 });
    await store.insert({ spoolId: spool.id, from: 0, to: 5 }, []);
    await append(spool, capturedClick(7));
    spool.truncate(spool.end());

    expect(await ingest(store, location())).toMatchObject({ cursor: spool.end(), stored: 1, missedBytes: 9_995 });
    expect(await storedNumbers()).toEqual([7]);
  });

  test("damage is skipped, reported and copied once, and the clicks after it are stored", async () => {
    await appendTick(spool, capturedClicks(0, 10));
    const to = spool.end();
    await appendTick(spool, capturedClicks(10, 12));
    const path = join(folder.directory, segmentFileName(0));
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100, 108));

    const step = await ingest(store, location());
    const again = await ingest(store, location());

    const fileName = segmentFileName(0);
    const savedAs = join(folder.directory, `${fileName}-64.damaged`);
    expect(step).toMatchObject({ stored: 2, damages: [{ fileName, offset: 64, bytes: to, clicksMax: 10, savedAs }] });
    expect(again).toMatchObject({ stored: 0, damages: [] });
    expect(await storedNumbers()).toEqual([10, 11]);
  });

  for (let seed = 1; seed <= 12; seed++) {
    test(`killed at random moments while clicks arrive, stores each click once and in order (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      let appended = 0;

      for (let step = 0; step < 40; step++) {
        const action = pick(random, ["append", "append", "ingest", "killedBefore", "killedAfter", "restart"]);
        if (action === "append") {
          const count = 1 + Math.floor(random() * 30);
          await appendTick(spool, capturedClicks(appended, appended + count));
          appended += count;
        }
        if (action === "ingest") await ingest(store, location());
        if (action === "killedBefore") await ignoreKill(ingest(killedBeforeInsert(), location()));
        if (action === "killedAfter") await ignoreKill(ingest(killedAfterCommit(), location()));
        if (action === "restart") spool = testSpool(folder.directory, { furthestCursor: await store.cursor(spool.id) });
      }
      await ingestAll();

      expect({ seed, stored: await storedNumbers() }).toEqual({ seed, stored: numbers(0, appended) });
    });
  }

  async function ignoreKill(step: Promise<unknown>): Promise<void> {
    try {
      await step;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
});
