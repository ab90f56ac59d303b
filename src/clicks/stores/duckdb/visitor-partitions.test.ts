/** Visitors of more clicks than fit into DuckDB's memory, in a store with little memory. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import { dayMs } from "../../../base/time.ts";
import { startPipeline } from "../../pipeline.ts";
import type { ClickQuery } from "../../query.ts";
import type { ClickStore } from "../../store.ts";
import { usualLevelBounds } from "./compact.ts";
import { openDuckDbStore } from "./duckdb-store.ts";
import type { VisitorBounds } from "./visitor-partitions.ts";

const firstDay = Date.UTC(2026, 10, 20);
const days = 5;
const urls = 50;
const timesCopied = 600;
const copiedClicks = 1_000;
const clicks = timesCopied * copiedClicks;
/** Enough for the file's blocks and a partition of 20,000 clicks. */
const memoryMax = "24MB";
const smallParts: VisitorBounds = { withTexts: 20_000, asKeys: 20_000 };
const atOnce: VisitorBounds = { withTexts: clicks, asKeys: clicks };
/** Each test takes seconds, or many times that on a busy machine. */
const generousMs = 240_000;

const base = {
  ...{ workspaceId: 1, from: firstDay, to: firstDay + days * dayMs, bots: "include", filters: [] },
  ...{ grouping: { kind: "count" }, metric: "visitors" },
} satisfies ClickQuery;

/** TABLE of groupings, and the number of rows in their answers. */
const cases: [string, ClickQuery["grouping"], number][] = [
  ["in all", { kind: "count" }, 1],
  ["by day", { kind: "intervals", intervalMs: dayMs }, days],
  ["by url", { kind: "dimension", dimension: "url", rowsMax: 1_000 }, urls],
  ["by url without query", { kind: "dimension", dimension: "baseUrl", rowsMax: 1_000 }, 1],
];

let folder = "";
let path = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypost-visitors-"));
  path = join(folder, "clicks.duckdb");
  await fill();
}, generousMs);
afterAll(() => rmSync(folder, { recursive: true }));

/** Inserts a thousand clicks, and copies each of them for 600 different visitors. */
async function fill(): Promise<void> {
  const random = seededRandom(20261121);
  const long = "long".repeat(20);
  const time = { from: firstDay, to: firstDay + days * dayMs };
  const rows = Array.from({ length: urls }, (_, url) =>
    randomClicks(random, copiedClicks / urls, time, { workspaceId: 1, url: `https://example.com/${long}?u=${url}` }),
  ).flat();
  const store = await openDuckDbStore({ path, threads: 1 });
  await store.insert({ spoolId: "spool", from: 0, to: 1 }, rows);
  await store.close();
  const instance = await DuckDBInstance.create(path, { threads: "1" });
  const connection = await instance.connect();
  await connection.run('CREATE TEMP TABLE first AS SELECT * FROM "fresh"');
  await connection.run('DELETE FROM "fresh"');
  await connection.run(
    `INSERT INTO "fresh"
     SELECT * EXCLUDE (copy) REPLACE (hash("idLow", copy) AS "visitor")
     FROM first, range(${timesCopied}) AS copies(copy)`,
  );
  connection.closeSync();
  instance.closeSync();
}

async function withStore(visitorBounds: VisitorBounds, use: (store: ClickStore) => Promise<void>): Promise<void> {
  const levelBounds = { ...usualLevelBounds, level0: 2 * clicks };
  const store = await openDuckDbStore({
    ...{ path, threads: 1, levelBounds, memoryMax, visitorBounds },
    queryTimeMaxMs: generousMs,
  });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

describe("visitors of more clicks than fit into DuckDB's memory", () => {
  test(
    "are refused when they are counted in one pass",
    async () => {
      const query: ClickQuery = { ...base, grouping: { kind: "dimension", dimension: "url", rowsMax: 1_000 } };

      await withStore(atOnce, async (store) => {
        expect(String(await store.query(query).catch((error: unknown) => error))).toContain("Out of Memory");
      });
    },
    generousMs,
  );

  test(
    "are refused with what to change, by a store that goes on answering",
    async () => {
      const levelBounds = { ...usualLevelBounds, level0: 2 * clicks };
      const store = { path, threads: 1, levelBounds, memoryMax, visitorBounds: atOnce, queryTimeMaxMs: generousMs };
      const pipeline = startPipeline({ engine: "duckdb", ...store });
      const tooMuch: ClickQuery = { ...base, grouping: { kind: "dimension", dimension: "url", rowsMax: 1_000 } };

      const problem = await pipeline.query(tooMuch).catch((error: unknown) => error);
      const [row] = await pipeline.query({ ...base, metric: "clicks" });
      const restarts = pipeline.restarts();
      await pipeline.close();

      expect(problem).toMatchObject({ code: "unprocessable_entity" });
      expect(String(problem)).toContain("more memory than the click store may use; choose a shorter interval");
      expect({ clicks: row?.clicks, restarts }).toEqual({ clicks, restarts: 0 });
    },
    generousMs,
  );

  test.each(cases)(
    "are counted exactly in partitions, %s",
    async (_, grouping, rows) => {
      await withStore(smallParts, async (store) => {
        const answer = await store.query({ ...base, grouping });

        expect(answer.length).toBe(rows);
        expect(answer.reduce((sum, row) => sum + row.clicks, 0)).toBe(clicks);
        expect(answer.reduce((sum, row) => sum + (row.visitors ?? 0), 0)).toBe(clicks);
      });
    },
    generousMs,
  );
});
