import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageOf, randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import type { ClickPage } from "../../query.ts";
import type { ClickStore } from "../../store.ts";
import { usualLevelBounds } from "./compact.ts";
import { openDuckDbStore } from "./duckdb-store.ts";
import { openEngine } from "./engine.ts";
import { PageTextCache } from "./page-text-cache.ts";
import { keepBuckets, readPage } from "./read-page.ts";
import type { CompiledQuery } from "./sql.ts";

const page: ClickPage = {
  ...{ workspaceId: 1, from: 0, to: 40, bots: "include", filters: [] },
  ...{ order: "newestFirst", offset: 0, limit: 10 },
};
const buckets = [
  { from: 0, to: 10, clicks: 5 },
  { from: 20, to: 30, clicks: 50 },
  { from: 30, to: 40, clicks: 7 },
];

describe("the buckets of a page", () => {
  /** TABLE of pages, and the range, offset and clicks that remain of each. */
  const cases: [Partial<ClickPage>, [from: number, to: number, offset: number, clicks: number] | undefined][] = [
    [{}, [20, 40, 0, 57]],
    [{ limit: 7 }, [30, 40, 0, 7]],
    [{ offset: 7 }, [20, 30, 0, 50]],
    [{ offset: 56 }, [0, 30, 49, 55]],
    [{ offset: 57 }, [0, 10, 0, 5]],
    [{ offset: 62 }, undefined],
    [{ order: "oldestFirst" }, [0, 30, 0, 55]],
    [{ order: "oldestFirst", offset: 5 }, [20, 30, 0, 50]],
    [{ order: "oldestFirst", offset: 54, limit: 2 }, [20, 40, 49, 57]],
    [{ order: "oldestFirst", offset: 61, limit: 100 }, [30, 40, 6, 7]],
  ];

  test.each(cases)("of %j", (changes, expected) => {
    const kept = keepBuckets({ ...page, ...changes }, buckets);

    expect(kept && [kept.page.from, kept.page.to, kept.page.offset, kept.clicks]).toEqual(expected);
  });
});

describe("a page among many clicks at one time", () => {
  const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
  const moment = day.from + 43_200_123;
  const clicks = randomClicks(seededRandom(20261123), 26_000, day, { workspaceId: 1 }).map((click, index) => {
    return index < 25_000 ? { ...click, time: moment } : click;
  });
  const folder = mkdtempSync(join(tmpdir(), "waypost-page-"));
  let store: ClickStore;

  beforeAll(async () => {
    store = await openDuckDbStore({ path: join(folder, "clicks.duckdb"), threads: 2 });
    await store.insert({ spoolId: "made", from: 0, to: 1 }, clicks);
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["newestFirst", 0],
    ["newestFirst", 450],
    ["newestFirst", 12_345],
    ["oldestFirst", 25_480],
  ] as const)("%s, offset %d, is the right part of them", async (order, offset) => {
    const requested: ClickPage = { ...page, from: 0, to: Date.UTC(2027, 0), order, offset, limit: 100 };

    const found = await store.page(requested);

    expect(found).toEqual(pageOf(clicks, requested));
  });
});

test("a page has the texts of its clicks after keys of erased clicks are used again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-page-"));
  const store = await openDuckDbStore({ path: join(folder, "clicks.duckdb"), threads: 1 });
  const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
  const made = (name: string) =>
    randomClicks(seededRandom(1), 5, day, {
      ...{ workspaceId: 1, linkId: `link_${name}`, key: name, url: `https://${name}.example/` },
    });
  const requested: ClickPage = { ...page, to: day.to };
  const shown = async () => new Set((await store.page(requested)).map(({ key, url }) => `${key} ${url}`));
  await store.insert({ spoolId: "made", from: 0, to: 1 }, made("erased"));
  const before = await shown();
  await store.erase({ workspaceId: 1 });

  await store.insert({ spoolId: "made", from: 1, to: 2 }, made("kept"));

  expect([before, await shown()]).toEqual([
    new Set(["erased https://erased.example/"]),
    new Set(["kept https://kept.example/"]),
  ]);
  await store.close();
  rmSync(folder, { recursive: true });
});

test("the texts of a filter are searched once for all statements of a page", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-page-"));
  const path = join(folder, "clicks.duckdb");
  const days = { from: Date.UTC(2026, 9, 1), to: Date.UTC(2026, 10, 21) };
  const clicks = randomClicks(seededRandom(20261128), 3_000, days, { workspaceId: 1 });
  const store = await openDuckDbStore({ path, threads: 1 });
  await store.insert({ spoolId: "made", from: 0, to: 1 }, clicks);
  await store.close();
  const engine = await openEngine({ path, threads: 1, memoryMax: "128MB", levelBounds: usualLevelBounds });
  const [connection] = engine.readers;
  const statements: string[] = [];
  const read = async ({ sql, parameters }: CompiledQuery) => {
    statements.push(sql);
    return (await connection?.runAndReadAll(sql, parameters))?.getRowObjects() ?? [];
  };
  const requested: ClickPage = {
    ...{ ...page, ...days, limit: 100 },
    filters: [{ dimension: "url", values: [clicks[0]?.url ?? ""], isExcluded: false }],
  };

  const found = await readPage(requested, read, new PageTextCache());

  expect(found.clicks).toEqual(pageOf(clicks, requested));
  expect(statements.length).toBeGreaterThan(3);
  expect(statements.filter((sql) => sql.includes(`"urls"."url" IN`))).toHaveLength(1);
  await engine.close();
  rmSync(folder, { recursive: true });
});
