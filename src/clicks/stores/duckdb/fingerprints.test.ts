/** Groupings by texts that are long and different for each click, in a store with less memory than the texts take. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectedClickRows, randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import { dayMs, minuteMs } from "../../../base/time.ts";
import { type Click, clickHeaderMax, clickUrlMax } from "../../click.ts";
import type { ClickQuery } from "../../query.ts";
import type { ClickStore } from "../../store.ts";
import { openDuckDbStore } from "./duckdb-store.ts";
import { usualFewTextsMax } from "./few-texts.ts";
import { usualVisitorBounds, type VisitorBounds } from "./visitor-partitions.ts";

const time = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 20) + 5 * dayMs };
const count = 40_000;
/** The URLs take 80 MB. */
const memoryMax = "64MB";
const generousMs = 4 * minuteMs;
const inPartitions: VisitorBounds = { withTexts: 5_000, asKeys: 10_000 };

let folder = "";
let path = "";
let clicks: Click[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypost-texts-"));
  path = join(folder, "clicks.duckdb");
  clicks = randomClicks(seededRandom(20261128), count, time, { workspaceId: 1 }).map((click, index) => ({
    ...click,
    // Every hundredth click repeats a URL, so that not all groups are equally large.
    url: `https://example.com/?gclid=${index % 100 === 0 ? index % 1_000 : index}&`.padEnd(clickUrlMax, "x"),
    refererUrl: `https://example.org/${index}/`.padEnd(clickHeaderMax, "x"),
  }));
  const store = await openDuckDbStore({ path, threads: 1 });
  for (let from = 0; from < count; from += 5_000) {
    const to = from + 5_000;
    await store.insert({ spoolId: "spool", from, to }, clicks.slice(from, to));
  }
  await store.close();
}, generousMs);
afterAll(() => rmSync(folder, { recursive: true }));

const base = { workspaceId: 1, ...time, bots: "include", filters: [] } satisfies Partial<ClickQuery>;
const byUrl: ClickQuery["grouping"] = { kind: "dimension", dimension: "url", rowsMax: 1_000 };
const notEmpty: ClickQuery["filters"] = [{ dimension: "url", values: [""], isExcluded: true }];

/** TABLE of queries, and the bounds of their visitors. */
const cases: [string, ClickQuery, VisitorBounds][] = [
  ["clicks by URL", { ...base, grouping: byUrl }, usualVisitorBounds],
  ["clicks by known URL", { ...base, filters: notEmpty, grouping: byUrl }, usualVisitorBounds],
  ["clicks by referrer", { ...base, grouping: { ...byUrl, dimension: "refererUrl" } }, usualVisitorBounds],
  [
    "clicks by trigger within URL and language",
    { ...base, grouping: { ...byUrl, dimension: "trigger", within: ["url", "language"] } },
    usualVisitorBounds,
  ],
  ["visitors by URL", { ...base, metric: "visitors", grouping: byUrl }, usualVisitorBounds],
  ["visitors by URL, in partitions", { ...base, metric: "visitors", grouping: byUrl }, inPartitions],
  [
    "visitors by known URL, in partitions",
    { ...base, metric: "visitors", filters: notEmpty, grouping: byUrl },
    inPartitions,
  ],
];

test("at most as many long URLs as are grouped without fingerprints take little memory, in several queries at once", async () => {
  const few = clicks.slice(0, usualFewTextsMax);
  const store = await openDuckDbStore({ path: join(folder, "few.duckdb"), threads: 2, memoryMax: "100MB" });
  for (let from = 0; from < few.length; from += 5_000) {
    await store.insert({ spoolId: "spool", from, to: from + 5_000 }, few.slice(from, from + 5_000));
  }
  const query: ClickQuery = { ...base, grouping: byUrl };
  const expected = expectedClickRows(few, query);

  const answers = await Promise.all([store.query(query), store.query(query), store.query(query)]);
  await store.close();

  expect(answers).toEqual([expected, expected, expected]);
});

describe("among clicks with different long texts", () => {
  test.each(cases)(
    "%s are counted exactly within little memory",
    async (_, query, visitorBounds) => {
      await withStore(visitorBounds, async (store) => {
        expect(await store.query(query)).toEqual(expectedClickRows(clicks, query));
      });
    },
    generousMs,
  );
});

async function withStore(visitorBounds: VisitorBounds, use: (store: ClickStore) => Promise<void>): Promise<void> {
  const store = await openDuckDbStore({ path, threads: 1, memoryMax, visitorBounds });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}
