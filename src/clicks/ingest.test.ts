import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import {
  append,
  appendTurn,
  browserAgent,
  capturedClick,
  capturedClicks,
  spoolFolder,
  testSpool,
} from "../../tests/support/spools.ts";
import { batchClicksMax, ingest, type LinkTally, tally, tallyLinksMax, tallyStretch } from "./ingest.ts";
import type { Spool } from "./spool.ts";
import type { ClickStore } from "./store.ts";
import { openDuckDbStore } from "./stores/duckdb.ts";

/** What the process was doing when it was killed. */
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

/** Ingests until nothing moves; returns the clicks said to be stored. */
async function ingestAll(): Promise<number> {
  let stored = 0;
  for (let cursor = -1; ; ) {
    const step = await ingest(store, location());
    stored += step.stored;
    if (step.cursor === cursor) return stored;
    cursor = step.cursor;
  }
}

/** The numbers of the stored clicks, in the spool's order; repeats are kept. */
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

/** The store of a process that is killed right after an insert was committed, before anybody knows. */
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
    for (let from = 0; from < 30; from += 10) await appendTurn(spool, capturedClicks(from, from + 10));

    expect(await ingest(store, location())).toEqual({
      ...{ from: 0, cursor: spool.end(), stored: 30, workspaceIds: [1], missedBytes: 0 },
    });

    expect(await storedNumbers()).toEqual(numbers(0, 30));
    expect(await store.cursor(spool.id)).toBe(spool.end());
  });

  test("takes a bounded batch and goes on from there", async () => {
    const clicks = batchClicksMax + 5_000;
    for (let from = 0; from < clicks; from += 1_000) {
      await appendTurn(spool, capturedClicks(from, from + 1_000));
    }

    const first = await ingest(store, location());
    const second = await ingest(store, location());

    expect(first.stored).toBeLessThanOrEqual(batchClicksMax);
    expect(first.stored + second.stored).toBe(clicks);
    expect(second.cursor).toBe(spool.end());
    expect(await storedNumbers()).toEqual(numbers(0, clicks));
  });

  test("with nothing new, stores nothing and stays", async () => {
    await append(spool, capturedClick(0));
    await ingest(store, location());

    expect(await ingest(store, location())).toEqual({
      ...{ from: spool.end(), cursor: spool.end(), stored: 0, workspaceIds: [], missedBytes: 0 },
    });
    expect(await storedNumbers()).toEqual([0]);
  });

  test("killed after the commit and before the cursor was known, stores each click once", async () => {
    await appendTurn(spool, capturedClicks(0, 10));

    await expect(ingest(killedAfterCommit(), location())).rejects.toBeInstanceOf(Killed);
    await appendTurn(spool, capturedClicks(10, 20));

    expect(await ingestAll()).toBe(10);
    expect(await storedNumbers()).toEqual(numbers(0, 20));
  });

  test("killed before the commit, stores each click once", async () => {
    await appendTurn(spool, capturedClicks(0, 10));

    await expect(ingest(killedBeforeInsert(), location())).rejects.toBeInstanceOf(Killed);

    expect(await store.cursor(spool.id)).toBe(0);
    expect(await ingestAll()).toBe(10);
    expect(await storedNumbers()).toEqual(numbers(0, 10));
  });

  test("two steps at once, as when a caller gave up waiting, store each click once", async () => {
    await appendTurn(spool, capturedClicks(0, 100));

    await Promise.allSettled([ingest(store, location()), ingest(store, location()), ingest(store, location())]);

    await ingestAll();
    expect(await storedNumbers()).toEqual(numbers(0, 100));
  });

  test("a store behind the first segment is told how many bytes it missed, and goes on behind them", async () => {
    spool.close();
    spool = testSpool(folder.directory, { furthestCursor: 10_000 });
    await store.insert({ spoolId: spool.id, from: 0, to: 5 }, []);
    await append(spool, capturedClick(7));
    spool.release(spool.end());

    expect(await ingest(store, location())).toMatchObject({ cursor: spool.end(), stored: 1, missedBytes: 9_995 });
    expect(await storedNumbers()).toEqual([7]);
  });

  test("damage stops it with the way to go on, and stores nothing", async () => {
    const damaged: ClickStore = { ...store, cursor: () => Promise.resolve(1) };
    await appendTurn(spool, capturedClicks(0, 10));
    spool.close();
    spool = testSpool(folder.directory, { furthestCursor: 10_000 });

    await expect(ingest(damaged, location())).rejects.toThrow("is damaged at byte 65 with clicks behind it");
    expect(await storedNumbers()).toEqual([]);
  });

  for (let seed = 1; seed <= 12; seed++) {
    test(`killed at random moments while clicks come in, stores each click once and in order (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      let appended = 0;

      for (let step = 0; step < 40; step++) {
        const action = pick(random, ["append", "append", "ingest", "killedBefore", "killedAfter", "restart"]);
        if (action === "append") {
          const count = 1 + Math.floor(random() * 30);
          await appendTurn(spool, capturedClicks(appended, appended + count));
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

describe("tally", () => {
  /** Every tally from the start of the spool to its end. */
  function tallies(): LinkTally[][] {
    const links: LinkTally[][] = [];
    for (let position = 0; ; ) {
      const next = tally(folder.directory, position);
      expect(next.from).toBe(position);
      if (next.to === position) return links;
      position = next.to;
      links.push(next.links);
    }
  }

  test("counts the human clicks of each link and the time of the last one", async () => {
    const clicks = [
      capturedClick(3, { linkId: "link_a" }),
      capturedClick(1, { linkId: "link_a" }),
      capturedClick(2, { linkId: "link_b" }),
    ];
    await appendTurn(spool, clicks);

    const [links] = tallies();

    expect(links).toEqual([
      { linkId: "link_a", clicks: 2, lastClicked: capturedClick(3).time },
      { linkId: "link_b", clicks: 1, lastClicked: capturedClick(2).time },
    ]);
  });

  test("bots are no clicks, whether the request or the user agent shows them", async () => {
    const clicks = [
      capturedClick(1, { bot: "prefetch" }),
      capturedClick(2, { agent: "curl/8.7.1" }),
      capturedClick(3, { agent: "" }),
    ];
    await appendTurn(spool, clicks);

    const { to, links } = tally(folder.directory, 0);

    expect({ to, links }).toEqual({ to: spool.end(), links: [] });
  });

  test("a frame of more links than its bound is counted whole, and others in steps of at most the bound", async () => {
    const linksOf = (from: number, to: number) =>
      numbers(from, to).map((number) => capturedClick(number, { linkId: `link_${number}` }));
    await appendTurn(spool, linksOf(0, tallyLinksMax + 1));
    for (let from = 0; from < tallyLinksMax * 2; from += 100) {
      await appendTurn(spool, linksOf(from, from + 100));
    }

    const [first = [], ...others] = tallies();

    expect(first).toBeArrayOfSize(tallyLinksMax + 1);
    for (const links of others) expect(links.length).toBeLessThanOrEqual(tallyLinksMax);
    const clicks = [first, ...others].flat().reduce((sum, link) => sum + link.clicks, 0);
    expect(clicks).toBe(tallyLinksMax * 3 + 1);
  });

  test("adds up to what the store holds, whatever the batches", async () => {
    const random = seededRandom(7);
    let appended = 0;
    for (let turn = 0; turn < 60; turn++) {
      const clicks = Array.from({ length: 1 + Math.floor(random() * 40) }, (_, index) =>
        capturedClick(appended + index, {
          linkId: `link_${Math.floor(random() * 20)}`,
          agent: random() < 0.2 ? "curl/8.7.1" : browserAgent,
        }),
      );
      appended += clicks.length;
      await appendTurn(spool, clicks);
    }
    await ingestAll();

    const counted = new Map<string, number>();
    for (const { linkId, clicks } of tallies().flat()) counted.set(linkId, (counted.get(linkId) ?? 0) + clicks);
    const rows = await store.query({
      workspaceId: 1,
      from: 0,
      to: Date.UTC(2030, 0, 1),
      bots: "exclude",
      filters: [],
      grouping: { kind: "dimension", dimension: "linkId", rowsMax: 100 },
    });

    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(rows.map(({ value, clicks }) => [value, clicks])));
  });
});

describe("tallyStretch", () => {
  /** Appends turns of a human click on each of two links, and a bot's; returns the borders of their frames. */
  async function turns(count: number): Promise<number[]> {
    const borders = [spool.end()];
    for (let turn = 0; turn < count; turn++) {
      await appendTurn(spool, [
        capturedClick(turn, { linkId: "link_a" }),
        capturedClick(turn + 100, { linkId: "link_b" }),
        capturedClick(turn, { linkId: "link_b", agent: "curl/8.7.1" }),
      ]);
      borders.push(spool.end());
    }
    return borders;
  }

  test("counts the human clicks between two positions, and none beside", async () => {
    const borders = await turns(20);
    const directory = folder.directory;
    for (const [first, last] of [
      [0, 20],
      [3, 7],
      [0, 1],
      [12, 20],
      [5, 5],
      [2, 4],
    ] as const) {
      const stretch = { directory, from: borders[first] ?? 0, to: borders[last] ?? 0 };

      const { links, isWhole } = tallyStretch(stretch);

      const of = (linkId: string, number: number) => ({
        ...{ linkId, clicks: last - first },
        lastClicked: capturedClick(number).time,
      });
      const expected = first === last ? [] : [of("link_a", last - 1), of("link_b", last + 99)];
      expect({ first, last, links, isWhole }).toEqual({ first, last, links: expected, isWhole: true });
    }
  });

  test("says when the spool has not all of it", async () => {
    const [, , to = 0] = await turns(2);
    const { directory } = folder;

    expect(tallyStretch({ directory, from: 0, to: to + 1_000 })).toMatchObject({ isWhole: false });
    expect(tallyStretch({ directory: join(directory, "absent"), from: 0, to })).toEqual({ links: [], isWhole: false });
  });
});
