import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import { everything, neverAborted } from "../../../../tests/support/store-conformance/tested-store.ts";
import type { ServedClickStore } from "../../store.ts";
import { inspectStoreCopy } from "../open-click-store.ts";
import { openDuckDbStore } from "./duckdb-store.ts";

const day = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) };
const random = seededRandom(7);
const rowsPerBatch = 400;
/** Small levels, so that compactions run during the copy. */
const levelBounds = { level0: 1_000, level1: 4_000 };

let folder = "";
let store: ServedClickStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypost-copy-"));
  store = await openDuckDbStore({ path: join(folder, "clicks.duckdb"), threads: 1, levelBounds });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function insert(batch: number): Promise<void> {
  await store.insert({ spoolId: "spool_a", from: batch, to: batch + 1 }, randomClicks(random, rowsPerBatch, day));
}

async function count(counted: ServedClickStore): Promise<number> {
  const query = { ...everything, workspaceId: 1, groupBy: [], metric: "clicks" } as const;
  const rows = await counted.page({ ...query, order: "oldestFirst", offset: 0, limit: 100_000 });
  return rows.length;
}

test("a copy made while clicks arrive has exactly the clicks up to its cursor, and opens as a store", async () => {
  for (let batch = 0; batch < 12; batch++) await insert(batch);
  const path = join(folder, "copy.duckdb");

  const copying = await store.copyTo(path, neverAborted);
  for (let batch = 12; batch < 30; batch++) await insert(batch);
  const { bytes, rows } = await copying.written;

  expect(copying.cursors).toEqual({ spool_a: 12 });
  expect(statSync(path).size).toBe(bytes);
  expect(existsSync(`${path}.wal`)).toBe(false);
  expect(await inspectStoreCopy(path)).toEqual({ rows, cursors: { spool_a: 12 } });
  expect((rows["fresh"] ?? 0) + (rows["recent"] ?? 0) + (rows["settled"] ?? 0)).toBe(12 * rowsPerBatch);
  const copy = await openDuckDbStore({ path, threads: 1, levelBounds });
  try {
    const [total, others] = [await count(store), await count(copy)];
    expect(await copy.cursor("spool_a")).toBe(12);
    expect(others / total).toBeCloseTo(12 / 30, 1);
    expect(await copy.storeId()).toBe(await store.storeId());
    for (const workspaceId of [1, 2]) {
      const recount = await copy.recountRollup({ workspaceId, corrects: false });
      expect(recount.differencesCount).toBe(0);
    }
  } finally {
    await copy.close();
  }
});

test("an aborted copy leaves no file, and the next one works", async () => {
  for (let batch = 0; batch < 12; batch++) await insert(batch);
  const controller = new AbortController();
  const path = join(folder, "copy.duckdb");
  const copying = await store.copyTo(path, controller.signal);
  controller.abort(new Error("stopped"));

  const failure = await copying.written.catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(Error);
  expect(existsSync(path)).toBe(false);
  expect((await (await store.copyTo(path, neverAborted)).written).bytes).toBeGreaterThan(0);
});
