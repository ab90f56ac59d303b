import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { answerOf, randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import type { ClickQuery } from "../../query.ts";
import { aggregateDifferencesMax } from "../../recount.ts";
import { openDuckDbStore } from "./duckdb-store.ts";
import { rollupBucketMs } from "./star-schema.ts";

const days = { from: Date.UTC(2026, 10, 18), to: Date.UTC(2026, 10, 21) };
const clicks = randomClicks(seededRandom(1), 3_000, days);
const firstSlot = days.from / rollupBucketMs;

/** A file with clicks, all of them added up, and a part of them expired; `sql` is run on it. */
async function spoiled(...sql: string[]) {
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

function countOf(slot: number, isBot: boolean): number {
  const from = slot * rollupBucketMs;
  return clicks.filter(
    ({ workspaceId, time, bot }) =>
      workspaceId === 1 && (bot !== "") === isBot && time >= from && time < from + rollupBucketMs,
  ).length;
}

test("slots that were lost, made up or wrong are told, and are right once they are mended", async () => {
  const { store, remove } = await spoiled(
    `DELETE FROM slots WHERE "workspaceId" = 1 AND "slot" = ${firstSlot + 5} AND "bot" = 0`,
    `INSERT INTO slots VALUES (1, ${firstSlot - 10}, 1, 7)`,
    `INSERT INTO slots VALUES (1, ${firstSlot + 200}, 0, -2)`,
    `INSERT INTO slots VALUES (2, ${firstSlot + 8}, 0, 3)`,
  );
  const at = (slot: number, isBot: boolean, wrong: (counted: number) => number) => {
    const counted = countOf(slot, isBot);
    return { from: slot * rollupBucketMs, isBot, added: wrong(counted), counted };
  };
  const differences = [
    at(firstSlot - 10, true, () => 7),
    at(firstSlot + 5, false, () => 0),
    at(firstSlot + 200, false, (counted) => counted - 2),
  ];

  const told = await store.recountAggregates({ workspaceId: 1, mends: false });
  const mended = await store.recountAggregates({ workspaceId: 1, mends: true });
  const after = await store.recountAggregates({ workspaceId: 1, mends: true });

  expect(told).toEqual({ compared: told.compared, differences, differencesCount: 3 });
  expect(mended).toEqual(told);
  // The one that was made up is none any more.
  expect(after).toEqual({ compared: told.compared - 1, differences: [], differencesCount: 0 });
  const hours: ClickQuery = {
    ...{ workspaceId: 1, from: 0, to: Date.UTC(2100, 0), bots: "include", filters: [] },
    grouping: { kind: "intervals", intervalMs: 3_600_000 },
  };
  expect(await store.query(hours)).toEqual(answerOf(clicks, hours));
  // Another workspace's stay as they are.
  expect((await store.recountAggregates({ workspaceId: 2, mends: false })).differencesCount).toBe(1);
  await store.close();
  remove();
});

test("of many differences the earliest are told, and all are mended", async () => {
  const { store, remove } = await spoiled(`INSERT INTO slots SELECT 1, range, 0, 1 FROM range(1, 2001)`);

  const told = await store.recountAggregates({ workspaceId: 1, mends: true });

  expect(told.differencesCount).toBe(2_000);
  expect(told.differences.map(({ from }) => from / rollupBucketMs)).toEqual(
    Array.from({ length: aggregateDifferencesMax }, (_, index) => index + 1),
  );
  expect((await store.recountAggregates({ workspaceId: 1, mends: false })).differencesCount).toBe(0);
  await store.close();
  remove();
});
