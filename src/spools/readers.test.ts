import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { testDatabase } from "../../tests/support/databases.ts";
import { appendSegments, brokenFiles, segmentsIn, spoolFolder, testSpool } from "../../tests/support/spools.ts";
import { openLog } from "../base/log.ts";
import { LossRecord, readLosses } from "../clicks/lost-clicks.ts";
import { startPipeline } from "../clicks/pipeline.ts";
import { readConfig } from "../config.ts";
import type { Db } from "../database/database.ts";
import { openMetrics } from "../metrics.ts";
import { foreignStoreError } from "./foreign-store.ts";
import { spoolReaders } from "./readers.ts";
import { StoreLosses } from "./store-losses.ts";

/** Simulates an outage of the database, or its end: queries of the table `from` fail. */
async function renameTable(db: Db, from: string, to: string): Promise<void> {
  await db.schema.alterTable(from).renameTo(to).execute();
}

test("a database outage while an older store begins to read delays the report of the loss, and hides no damage", async () => {
  const testDb = await testDatabase("sqlite");
  const { db } = testDb.database;
  const { directory, remove } = spoolFolder();
  // A new store begins to read a spool with deleted segments, whose last segment is damaged.
  const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
  const [, missedBytes = 0] = await appendSegments(spool, 3);
  spool.truncate(spool.end());
  const path = join(directory, segmentsIn(directory)[0] ?? "");
  writeFileSync(path, readFileSync(path).fill(0xff, 100, 108));
  const pipeline = startPipeline({ engine: "duckdb", path: join(dirname(directory), "clicks.duckdb"), threads: 1 });
  const log = openLog("error", () => {});
  const storeLosses = new StoreLosses({
    db,
    pipeline,
    isStoreAbsent: () => false,
    folders: () => [directory],
    log,
    now: () => 5_000,
  });
  const read = {
    ...{ directory, cursors: { store: 0, counters: 0 }, truncate: async () => {} },
    extent: () => ({ id: spool.id, end: spool.end(), bytes: spool.bytes() }),
  };
  const deps = {
    ...{ pipeline, counters: { count: unexpectedRead }, log, storeLosses, now: () => 5_000 },
    metrics: openMetrics({ own: unexpectedRead, workers: async () => [], store: async () => undefined }),
    ...{ losses: new LossRecord(directory), liveEvents: { storeAdvanced() {} }, purges: { current: [] } },
  };
  try {
    await storeLosses.check();
    await renameTable(db, "clickStoreLosses", "away");

    const failure: unknown = await spoolReaders.store.step(deps, read).catch((error: unknown) => error);
    await expect(storeLosses.check()).rejects.toThrow("clickStoreLosses");
    await renameTable(db, "away", "clickStoreLosses");
    await storeLosses.check();
    await storeLosses.check();

    expect(String(failure)).toContain("clickStoreLosses");
    expect(readLosses(directory).damaged?.clicks).toBeGreaterThan(0);
    expect(read.cursors.store).toBe(spool.end());
    expect(storeLosses.current).toEqual([{ kind: "older", bytes: missedBytes, foundAt: 5_000 }]);
  } finally {
    await pipeline.close();
    spool.close();
    await testDb.close();
    remove();
  }
});

test("a database outage delays the first clicks of a spool, and no later ones", async () => {
  const testDb = await testDatabase("sqlite");
  const { db } = testDb.database;
  const { directory, remove } = spoolFolder();
  const spool = testSpool(directory);
  await appendSegments(spool, 1);
  const pipeline = startPipeline({ engine: "duckdb", path: join(dirname(directory), "clicks.duckdb"), threads: 1 });
  const log = openLog("error", () => {});
  const read = {
    ...{ directory, cursors: { store: 0, counters: 0 }, truncate: async () => {} },
    extent: () => ({ id: spool.id, end: spool.end(), bytes: spool.bytes() }),
  };
  const deps = {
    ...{ pipeline, counters: { count: unexpectedRead }, log, now: () => 5_000 },
    storeLosses: new StoreLosses({
      ...{ db, pipeline, log, isStoreAbsent: () => false, folders: () => [directory], now: () => 5_000 },
    }),
    metrics: openMetrics({ own: unexpectedRead, workers: async () => [], store: async () => undefined }),
    ...{ losses: new LossRecord(directory), liveEvents: { storeAdvanced() {} }, purges: { current: [] } },
  };
  try {
    await renameTable(db, "counterCursors", "away");

    const failure: unknown = await spoolReaders.store.step(deps, read).catch((error: unknown) => error);
    await renameTable(db, "away", "counterCursors");
    const refusal = await foreignStoreError(readConfig({}), { db, pipeline });
    await spoolReaders.store.step(deps, read);
    const first = read.cursors.store;
    await appendSegments(spool, 1);
    await renameTable(db, "counterCursors", "away");
    await spoolReaders.store.step(deps, read);

    // The refusal of a start after a kill during the outage.
    expect(refusal).toBeUndefined();
    expect(String(failure)).toContain("counterCursors");
    expect(first).toBeGreaterThan(0);
    expect(read.cursors.store).toBe(spool.end());
  } finally {
    await pipeline.close();
    spool.close();
    await testDb.close();
    remove();
  }
});

function unexpectedRead(): never {
  throw new Error("This test uses neither the metrics nor the counters.");
}
