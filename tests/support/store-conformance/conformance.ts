import { describe, expect } from "bun:test";
import type { Click } from "../../../src/clicks/click.ts";
import type { ClickQuery, Dimension, Filter, Grouping } from "../../../src/clicks/query.ts";
import type { ClickStore } from "../../../src/clicks/store.ts";
import { expectedClickRows, randomClick, randomClicks, seededRandom, trickyTexts } from "../clicks.ts";
import { describeAppendedSince } from "./appended-since.ts";
import { describeExpire } from "./expire.ts";
import { describeExports, describeExportsDuringMaintenance } from "./exports.ts";
import { describeFirstClicks } from "./first-clicks.ts";
import { describeLastClicks } from "./last-clicks.ts";
import { describeLinks } from "./links.ts";
import { describePages } from "./pages.ts";
import { describeQueries, describeQueriesBySource, describeVisitors } from "./queries.ts";
import { describeRecount } from "./recount.ts";
import { day, type EngineTraits, everything, type OpenStore, storeTest } from "./tested-store.ts";

const count: Grouping = { kind: "count" };

/** The contract of ClickStore (store.ts) as tests for one engine; `open` opens an empty store. */
export function describeClickStore(name: string, open: OpenStore, traits: EngineTraits): void {
  describe(`${name} as a click store`, () => {
    describeInsert(open);
    describeWholeBatches(open);
    describeFailedInsert(open);
    describeFailedBatches(open);
    describeQueries(open);
    describeFirstClicks(open);
    describeLastClicks(open);
    describeLinks(open);
    describePages(open);
    describeAppendedSince(open);
    describeExports(open);
    describeExportsDuringMaintenance(open);
    describeTexts(open);
    describeErase(open);
    describeExpire(open);
    describeRecount(open, traits);
    describeReopening(open);
  });
}

/**
 * The part of the contract that depends on the level at which the store holds clicks, for settings with which the store
 * moves them all the time. The other tests of the contract insert fewer clicks than one move takes, or are about
 * filters, texts and formats, which are the same at all levels.
 */
export function describeMovedClicks(name: string, open: OpenStore, traits: EngineTraits): void {
  describe(`${name} as a click store`, () => {
    describeWholeBatches(open);
    describeFailedBatches(open);
    describeQueriesBySource(open);
    describeFirstClicks(open);
    describeLastClicks(open);
    describeLinks(open);
    describePages(open);
    describeAppendedSince(open);
    describeExportsDuringMaintenance(open);
    describeErase(open);
    describeExpire(open);
    describeRecount(open, traits);
  });
}

/** The contract of query for visitors, for settings that change only how visitors are counted. */
export function describeVisitorCounts(name: string, open: OpenStore): void {
  describe(`${name} as a click store`, () => describeVisitors(open));
}

function describeInsert(open: OpenStore): void {
  describe("insert", () => {
    storeTest("the cursor of an unknown spool is 0", open, async ({ store }) => {
      expect(await store.cursor("spool_a")).toBe(0);
    });

    storeTest("a batch is stored and moves only its spool's cursor to its end", open, async ({ store }) => {
      await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, clicksOf(1, 30));

      expect(await stateOf(store, 1)).toEqual({ clicks: 30, cursor: 100 });
      expect(await store.cursor("spool_b")).toBe(0);
    });

    storeTest("the same batch again changes nothing", open, async ({ store }) => {
      const rows = clicksOf(1, 30);

      for (let round = 0; round < 3; round++) await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, rows);

      expect(await stateOf(store, 1)).toEqual({ clicks: 30, cursor: 100 });
    });

    storeTest("a batch that ends before the cursor changes nothing", open, async ({ store }) => {
      await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, clicksOf(1, 30));

      await store.insert({ spoolId: "spool_a", from: 20, to: 60 }, clicksOf(1, 5));

      expect(await stateOf(store, 1)).toEqual({ clicks: 30, cursor: 100 });
    });

    storeTest("a batch that begins after the cursor is stored: the gap had no clicks", open, async ({ store }) => {
      await store.insert({ spoolId: "spool_a", from: 400, to: 500 }, clicksOf(1, 3));

      expect(await stateOf(store, 1)).toEqual({ clicks: 3, cursor: 500 });
    });

    storeTest("a batch without clicks moves the cursor", open, async ({ store }) => {
      await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, []);

      expect(await stateOf(store, 1)).toEqual({ clicks: 0, cursor: 100 });
    });

    storeTest("cursors hold positions beyond 32 bits", open, async ({ store }) => {
      await store.insert({ spoolId: "spool_a", from: 0, to: 2 ** 52 }, []);

      expect(await store.cursor("spool_a")).toBe(2 ** 52);
    });
  });
}

function describeWholeBatches(open: OpenStore): void {
  describe("insert", () => {
    storeTest("a batch that several callers insert at once is stored once", open, async ({ store }) => {
      const rows = clicksOf(1, 5_000);
      const batch = { spoolId: "spool_a", from: 0, to: 100 };

      await Promise.all([store.insert(batch, rows), store.insert(batch, rows), store.insert(batch, rows)]);

      expect(await stateOf(store, 1)).toEqual({ clicks: 5_000, cursor: 100 });
    });

    storeTest("a query sees whole batches only, and every batch whose insert has returned", open, async ({ store }) => {
      const seen: number[] = [];
      for (let batch = 0; batch < 5; batch++) {
        const insert = store.insert({ spoolId: "spool_a", from: batch, to: batch + 1 }, clicksOf(1, 3_000));
        const during = await Promise.all([countOf(store, 1), countOf(store, 1), countOf(store, 1)]);
        await insert;
        seen.push(...during.map((clicks) => clicks % 3_000));

        expect(await countOf(store, 1)).toBe((batch + 1) * 3_000);
      }

      expect(seen).toEqual(seen.map(() => 0));
    });
  });
}

function describeFailedInsert(open: OpenStore): void {
  describe("an insert that fails", () => {
    storeTest("throws for a batch that straddles the cursor and changes nothing", open, async ({ store }) => {
      await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, clicksOf(1, 30));

      const straddling = store.insert({ spoolId: "spool_a", from: 50, to: 150 }, clicksOf(1, 5));

      await expect(straddling).rejects.toThrow("straddles");
      expect(await stateOf(store, 1)).toEqual({ clicks: 30, cursor: 100 });
    });

    storeTest("does not prevent the next one from succeeding", open, async ({ store }) => {
      const bad = [{ ...randomClick(seededRandom(1), day), id: "no id" }];
      const failing = store.insert({ spoolId: "spool_a", from: 0, to: 100 }, bad);
      const next = store.insert({ spoolId: "spool_a", from: 0, to: 100 }, clicksOf(1, 30));

      await expect(failing).rejects.toThrow();
      await next;

      expect(await stateOf(store, 1)).toEqual({ clicks: 30, cursor: 100 });
    });
  });
}

function describeFailedBatches(open: OpenStore): void {
  describe("an insert that fails", () => {
    storeTest("leaves no row of its batch behind, wherever the invalid row is", open, async ({ store }) => {
      const rows = clicksOf(1, 7_000);
      for (const badIndex of [0, 2_047, 2_048, 6_999]) {
        const bad = rows.map((click, index) => (index === badIndex ? { ...click, id: "no id" } : click));

        await expect(store.insert({ spoolId: "spool_a", from: 0, to: 100 }, bad)).rejects.toThrow();

        expect(await stateOf(store, 1)).toEqual({ clicks: 0, cursor: 0 });
      }
    });
  });
}

function describeTexts(open: OpenStore): void {
  describe("texts", () => {
    storeTest("are returned as stored and are found by filters, whatever they contain", open, async ({ store }) => {
      const clicks = trickyTexts.map((text) => randomClick(seededRandom(3), day, { workspaceId: 1, city: text }));

      await store.insert({ spoolId: "it's; DROP TABLE cursors", from: 0, to: 1 }, clicks);

      const rows = await store.query({ ...everything, workspaceId: 1, grouping: topOf("city") });
      expect(rows.map(({ value }) => value)).toEqual([...trickyTexts].sort(byBytes));
      for (const text of trickyTexts) {
        const filters: Filter[] = [{ dimension: "city", values: [text], isExcluded: false }];
        const found = await store.query({ ...everything, workspaceId: 1, filters, grouping: topOf("city") });
        expect(found).toEqual([{ value: text, clicks: 1 }]);
      }
      expect(await store.cursor("it's; DROP TABLE cursors")).toBe(1);
    });
  });
}

function describeErase(open: OpenStore): void {
  describe("erase", () => {
    storeTest("removes one link's clicks, only in its workspace, and moves no cursor", open, async ({ store }) => {
      const clicks = randomClicks(seededRandom(5), 1_000, day);
      await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, clicks);

      await store.erase({ workspaceId: 1, linkId: "link_a" });

      const remaining = clicks.filter(({ workspaceId, linkId }) => workspaceId !== 1 || linkId !== "link_a");
      for (const workspaceId of [1, 2]) {
        const query: ClickQuery = { ...everything, workspaceId, grouping: topOf("linkId") };
        expect(await store.query(query)).toEqual(expectedClickRows(remaining, query));
      }
      expect(await store.cursor("spool_a")).toBe(100);
      // The rollup excludes them, too.
      const hours: ClickQuery = {
        ...everything,
        workspaceId: 1,
        grouping: { kind: "intervals", intervalMs: 3_600_000 },
      };
      expect(await store.query(hours)).toEqual(expectedClickRows(remaining, hours));
    });

    storeTest("removes a workspace's clicks and no others", open, async ({ store }) => {
      const clicks = randomClicks(seededRandom(6), 1_000, day);
      await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, clicks);

      await store.erase({ workspaceId: 1 });

      expect(await countOf(store, 1)).toBe(0);
      expect(await countOf(store, 2)).toBe(clicks.filter(({ workspaceId }) => workspaceId === 2).length);
    });
  });
}

function describeReopening(open: OpenStore): void {
  describe("reopening", () => {
    storeTest("keeps clicks, cursors and erasures", open, async ({ store, reopen }) => {
      await store.insert({ spoolId: "spool_a", from: 0, to: 100 }, clicksOf(1, 30));
      await store.insert({ spoolId: "spool_a", from: 100, to: 200 }, clicksOf(2, 20));
      await store.erase({ workspaceId: 2 });

      const reopened = await reopen();

      expect(await stateOf(reopened, 1)).toEqual({ clicks: 30, cursor: 200 });
      expect(await countOf(reopened, 2)).toBe(0);
      await reopened.insert({ spoolId: "spool_a", from: 100, to: 200 }, clicksOf(2, 20));
      expect(await countOf(reopened, 2)).toBe(0);
    });
  });
}

function clicksOf(workspaceId: number, number: number): Click[] {
  return randomClicks(seededRandom(number), number, day, { workspaceId });
}

async function countOf(store: ClickStore, workspaceId: number): Promise<number> {
  const [row] = await store.query({ ...everything, workspaceId, grouping: count });
  return row?.clicks ?? Number.NaN;
}

async function stateOf(store: ClickStore, workspaceId: number) {
  return { clicks: await countOf(store, workspaceId), cursor: await store.cursor("spool_a") };
}

function topOf(dimension: Dimension): Grouping {
  return { kind: "dimension", dimension, rowsMax: 1_000 };
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
