import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { testDatabase } from "../../tests/support/databases.ts";
import { appendSegments, brokenFiles, segmentsIn, spoolFolder, testSpool } from "../../tests/support/spools.ts";
import { openLog } from "../base/log.ts";
import { LossRecord, readLosses } from "../clicks/lost-clicks.ts";
import { startPipeline } from "../clicks/pipeline.ts";
import type { Db } from "../database/database.ts";
import { openMetrics } from "../metrics.ts";
import { spoolReaders } from "./readers.ts";
import { StoreLosses } from "./store-losses.ts";

/** Simulates an outage of the database: queries of this table fail. */
async function renameLossesTable(db: Db, from: string, to: string): Promise<void> {
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
    await renameLossesTable(db, "clickStoreLosses", "away");

    const failure: unknown = await spoolReaders.store.step(deps, read).catch((error: unknown) => error);
    await expect(storeLosses.check()).rejects.toThrow("clickStoreLosses");
    await renameLossesTable(db, "away", "clickStoreLosses");
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

function unexpectedRead(): never {
  throw new Error("This test uses neither the metrics nor the counters.");
}
