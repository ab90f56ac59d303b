import { describe, expect } from "bun:test";
import type { Click } from "../../../src/clicks/click.ts";
import type { ClickQuery } from "../../../src/clicks/query.ts";
import type { ClickStore } from "../../../src/clicks/store.ts";
import { expectedClickRows, randomClicks, seededRandom } from "../clicks.ts";
import { day, neverAborted, type OpenStore, storeTest } from "./tested-store.ts";

const spoolId = "spool_a";

/** The contract of query for links, which is repeated after every change that may affect the answer. */
export function describeLinks(open: OpenStore): void {
  describe("a repeated query about a link", () => {
    describeInserts(open);
    describeRemovals(open);
  });
}

function describeInserts(open: OpenStore): void {
  storeTest("counts the clicks added since, also at other keys of the link", open, async ({ store }) => {
    const clicks: Click[] = [];
    const seen: number[] = [];
    for (const [batch, key] of ["a", "b", "a", "c"].entries()) {
      seen.push(await countOf(store, 1, "link"));
      const rows = clicksOf(100, { linkId: "link", key });
      await store.insert({ spoolId, from: batch, to: batch + 1 }, rows);
      clicks.push(...rows);
    }

    expect([...seen, await countOf(store, 1, "link")]).toEqual([0, 100, 200, 300, 400]);
    const keys: ClickQuery = {
      ...linkQuery(1, "link"),
      grouping: { kind: "dimension", dimension: "key", rowsMax: 10 },
    };
    expect(await store.query(keys)).toEqual(expectedClickRows(clicks, keys));
  });

  storeTest("sees whole batches only, also batches with new keys of the link", open, async ({ store }) => {
    const seen: number[] = [];
    for (let batch = 0; batch < 5; batch++) {
      const rows = ["old", `new-${batch}`].flatMap((key) => clicksOf(1_500, { linkId: "link", key }));
      const insert = store.insert({ spoolId, from: batch, to: batch + 1 }, rows);
      let isInserting = true;
      const ended = insert.finally(() => {
        isInserting = false;
      });
      while (isInserting) seen.push((await countOf(store, 1, "link")) % 3_000);
      await ended;

      expect(await countOf(store, 1, "link")).toBe((batch + 1) * 3_000);
    }

    expect(seen).toEqual(seen.map(() => 0));
  });
}

function describeRemovals(open: OpenStore): void {
  // The store may reuse the keys of erased links.
  storeTest("counts nothing of an erased link, and later only its new clicks", open, async ({ store }) => {
    await store.insert({ spoolId, from: 0, to: 1 }, clicksOf(100, { linkId: "kept" }));
    await store.insert({ spoolId, from: 1, to: 2 }, clicksOf(200, { linkId: "link" }));
    expect(await countOf(store, 1, "link")).toBe(200);

    await store.erase({ workspaceId: 1, linkId: "link" });

    expect(await countOf(store, 1, "link")).toBe(0);
    await store.insert({ spoolId, from: 2, to: 3 }, clicksOf(300, { linkId: "other" }));
    expect(await countsOf(store)).toEqual({ kept: 100, link: 0, other: 300 });
    await store.insert({ spoolId, from: 3, to: 4 }, clicksOf(400, { linkId: "link" }));
    expect(await countsOf(store)).toEqual({ kept: 100, link: 400, other: 300 });
  });

  storeTest("counts the same after maintain, expire and reopening", open, async ({ store, reopen }) => {
    await store.insert({ spoolId, from: 0, to: 1 }, clicksOf(100, { linkId: "other" }));
    await store.insert({ spoolId, from: 1, to: 2 }, clicksOf(200, { linkId: "link" }));
    await store.insert({ spoolId, from: 2, to: 3 }, clicksOf(300, { linkId: "kept" }));
    expect(await countsOf(store)).toEqual({ kept: 300, link: 200, other: 100 });

    await store.erase({ workspaceId: 1, linkId: "other" });
    await store.maintain(neverAborted);
    const vacuumed = await countsOf(store);
    await store.insert({ spoolId, from: 3, to: 4 }, clicksOf(400, { linkId: "link", key: "moved" }));
    await store.expire({ workspaceId: 1, before: day.to });

    expect(vacuumed).toEqual({ kept: 300, link: 200, other: 0 });
    expect(await countsOf(store)).toEqual({ kept: 300, link: 600, other: 0 });
    expect(await countsOf(await reopen())).toEqual({ kept: 300, link: 600, other: 0 });
  });

  storeTest(
    "counts only its own workspace's clicks, even if another workspace has a link with that id",
    open,
    async ({ store }) => {
      await store.insert({ spoolId, from: 0, to: 1 }, clicksOf(100, { linkId: "link" }));
      const before = [await countOf(store, 1, "link"), await countOf(store, 2, "link")];
      await store.insert({ spoolId, from: 1, to: 2 }, clicksOf(200, { linkId: "link", workspaceId: 2 }));

      const both = [await countOf(store, 1, "link"), await countOf(store, 2, "link")];
      await store.erase({ workspaceId: 1 });

      expect({ before, both }).toEqual({ before: [100, 0], both: [100, 200] });
      expect([await countOf(store, 1, "link"), await countOf(store, 2, "link")]).toEqual([0, 200]);
    },
  );

  storeTest("counts nothing of a failed batch", open, async ({ store }) => {
    const bad = [...clicksOf(100, { linkId: "link" }), ...clicksOf(1, { linkId: "link", id: "no id" })];
    expect(await countOf(store, 1, "link")).toBe(0);

    await expect(store.insert({ spoolId, from: 0, to: 1 }, bad)).rejects.toThrow();

    expect(await countOf(store, 1, "link")).toBe(0);
    await store.insert({ spoolId, from: 0, to: 1 }, clicksOf(100, { linkId: "link" }));
    expect(await countOf(store, 1, "link")).toBe(100);
  });
}

/** Clicks of workspace 1, unless `same` names another one. */
function clicksOf(number: number, same: Partial<Click>): Click[] {
  return randomClicks(seededRandom(number), number, day, { workspaceId: 1, ...same });
}

function linkQuery(workspaceId: number, ...values: string[]): ClickQuery {
  const filters = [{ dimension: "linkId", values, isExcluded: false }] as const;
  return { workspaceId, from: 0, to: Date.UTC(2100, 0), bots: "include", filters, grouping: { kind: "count" } };
}

async function countOf(store: ClickStore, workspaceId: number, linkId: string): Promise<number> {
  const [row] = await store.query(linkQuery(workspaceId, linkId));
  return row?.clicks ?? Number.NaN;
}

/** The counts of three links, each from its own query. One query for all three must return their sum. */
async function countsOf(store: ClickStore): Promise<Record<string, number>> {
  const links = ["kept", "link", "other"];
  const counts: number[] = [];
  for (const link of links) counts.push(await countOf(store, 1, link));
  const [row] = await store.query(linkQuery(1, ...links));
  expect(row?.clicks).toBe(counts.reduce((sum, clicks) => sum + clicks, 0));
  return Object.fromEntries(links.map((link, index) => [link, counts[index] ?? Number.NaN]));
}
