import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expectedClickRows, randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import type { ClickQuery } from "../../query.ts";
import { rollupDifferencesMax } from "../../recount.ts";
import { openDuckDbStore } from "./duckdb-store.ts";
import { rollupBucketMs } from "./star-schema.ts";

const days = { from: Date.UTC(2026, 10, 18), to: Date.UTC(2026, 10, 21) };
const clicks = randomClicks(seededRandom(1), 3_000, days);
const firstBucket = days.from / rollupBucketMs;

/** A store whose clicks are all in the rollup and partly expired; `sql` runs on its file first. */
async function openWithDifferences(...sql: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "waypost-recount-"));
  const options = { path: join(folder, "clicks.duckdb"), threads: 1, levelBounds: { level0: 700, level1: 2_000 } };
  const store = await openDuckDbStore(options);
  await store.insert({ spoolId: "spool", from: 0, to: 1 }, clicks);
  await store.expire({ workspaceId: 1, before: days.from + 24 * 3_600_000 });
  await store.close();
  const instance = await DuckDBInstance.create(options.path);
  const connection = await instance.connect();
  for (const statement of sql) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  return { store: await openDuckDbStore(options), remove: () => rmSync(folder, { recursive: true }) };
}

function countOf(bucket: number, isBot: boolean): number {
  const from = bucket * rollupBucketMs;
  return clicks.filter(
    ({ workspaceId, time, bot }) =>
      workspaceId === 1 && (bot !== "") === isBot && time >= from && time < from + rollupBucketMs,
  ).length;
}

test("missing, invented and wrong buckets are reported, and are right after the correction", async () => {
  const { store, remove } = await openWithDifferences(
    `DELETE FROM slots WHERE "workspaceId" = 1 AND "slot" = ${firstBucket + 5} AND "bot" = 0`,
    `INSERT INTO slots VALUES (1, ${firstBucket - 10}, 1, 7)`,
    `INSERT INTO slots VALUES (1, ${firstBucket + 200}, 0, -2)`,
    `INSERT INTO slots VALUES (2, ${firstBucket + 8}, 0, 3)`,
  );
  const at = (bucket: number, isBot: boolean, wrong: (storedClicks: number) => number) => {
    const storedClicks = countOf(bucket, isBot);
    return { from: bucket * rollupBucketMs, isBot, rollupClicks: wrong(storedClicks), storedClicks };
  };
  const differences = [
    at(firstBucket - 10, true, () => 7),
    at(firstBucket + 5, false, () => 0),
    at(firstBucket + 200, false, (storedClicks) => storedClicks - 2),
  ];

  const found = await store.recountRollup({ workspaceId: 1, corrects: false });
  const corrected = await store.recountRollup({ workspaceId: 1, corrects: true });
  const after = await store.recountRollup({ workspaceId: 1, corrects: true });

  expect(found).toEqual({ compared: found.compared, differences, differencesCount: 3 });
  expect(corrected).toEqual(found);
  // The invented bucket is gone.
  expect(after).toEqual({ compared: found.compared - 1, differences: [], differencesCount: 0 });
  const hours: ClickQuery = {
    ...{ workspaceId: 1, from: 0, to: Date.UTC(2100, 0), bots: "include", filters: [] },
    grouping: { kind: "intervals", intervalMs: 3_600_000 },
  };
  expect(await store.query(hours)).toEqual(expectedClickRows(clicks, hours));
  // Another workspace's buckets do not change.
  expect((await store.recountRollup({ workspaceId: 2, corrects: false })).differencesCount).toBe(1);
  await store.close();
  remove();
});

test("the earliest of many differences are reported, and all are corrected", async () => {
  const { store, remove } = await openWithDifferences(`INSERT INTO slots SELECT 1, range, 0, 1 FROM range(1, 2001)`);

  const found = await store.recountRollup({ workspaceId: 1, corrects: true });

  expect(found.differencesCount).toBe(2_000);
  expect(found.differences.map(({ from }) => from / rollupBucketMs)).toEqual(
    Array.from({ length: rollupDifferencesMax }, (_, index) => index + 1),
  );
  expect((await store.recountRollup({ workspaceId: 1, corrects: false })).differencesCount).toBe(0);
  await store.close();
  remove();
});
