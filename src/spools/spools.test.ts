import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { mountDisk } from "../../tests/support/small-disk.ts";
import { append, capturedClick, testSpool } from "../../tests/support/spools.ts";
import { openLog } from "../base/log.ts";
import { isMovingClicks, movePaths } from "../click-move-folder.ts";
import { LossRecord } from "../clicks/lost-clicks.ts";
import { type Pipeline, startPipeline } from "../clicks/pipeline.ts";
import { segmentFileName } from "../clicks/spool-format.ts";
import { type Config, readConfig } from "../config.ts";
import { dataPaths, workerSpoolPath } from "../data-paths.ts";
import { openSpools, type Spools } from "./spools.ts";

let data = "";
let config: Config;
let testDb: TestDatabase;
let pipeline: Pipeline;
let spools: Spools;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "waypost-test-"));
  config = readConfig({ WAYPOST_DATA: data, WAYPOST_WORKERS: "1" });
  testDb = await testDatabase("sqlite");
  pipeline = startPipeline({ engine: "duckdb", path: dataPaths(config).clicks, threads: 1 });
});
afterEach(async () => {
  spools.close();
  await pipeline.close();
  await testDb.close();
  rmSync(data, { recursive: true, force: true });
});

async function open(onError: (message: string) => void = () => {}): Promise<void> {
  const { db } = testDb.database;
  mkdirSync(dataPaths(config).spool, { recursive: true });
  const losses = new LossRecord(dataPaths(config).spool);
  spools = await openSpools(config, {
    db,
    isStoreAbsent: () => false,
    pipeline,
    log: { ...openLog("error"), error: onError },
    now: Date.now,
    losses,
  });
}

function workerFolder(index: number): string {
  const directory = workerSpoolPath(config, index);
  mkdirSync(directory, { recursive: true });
  return directory;
}

test("a spool that replaces a worker's spool begins with cursors at 0", async () => {
  await open();
  const directory = workerFolder(1);
  testSpool(directory).close();
  const [, worker] = spools.all();
  const before = worker?.extent();
  const cursors = worker?.cursors;
  rmSync(directory, { recursive: true });
  testSpool(directory).close();

  const after = worker?.extent();
  // The result of a step that began with the former spool.
  if (cursors !== undefined) cursors.store = 1_000;

  expect(after?.id).not.toBe(before?.id);
  expect(worker?.cursors).toEqual({ store: 0, counters: 0 });
});

test("a spool that cannot be read does not keep others from being truncated", async () => {
  const former = workerFolder(2);
  testSpool(former).close();
  await open();
  writeFileSync(join(workerFolder(1), segmentFileName(0)), "x".repeat(100));

  const failure = await spools.truncate().catch((error: Error) => error.message);

  expect(failure).toContain("has a damaged header");
  expect(existsSync(former)).toBe(false);
});

test("a spool that cannot be adopted does not keep others from being truncated, and is tried again", async () => {
  const former = workerFolder(2);
  testSpool(former).close();
  await open();
  const blocked = workerSpoolPath(config, 100);
  writeFileSync(blocked, "no folder");
  testSpool(workerFolder(101)).close();
  for (const index of [100, 101]) spools.adopt(index);

  const failure = await spools.truncate().catch((error: Error) => error.message);
  const left = [former, workerSpoolPath(config, 101)].filter(existsSync);
  rmSync(blocked);
  testSpool(workerFolder(100)).close();
  await spools.truncate();

  expect(failure).toContain(blocked);
  expect(left).toEqual([]);
  expect(existsSync(blocked)).toBe(false);
});

/** What is left of a move of clicks after a truncation, with this many bytes in the spool of a worker. */
async function moveAfter(workerBytes: number): Promise<{ isMoving: boolean; errors: string[] }> {
  const directory = workerFolder(1);
  const spool = testSpool(directory);
  for (let number = 0; spool.bytes() < workerBytes; number++) await append(spool, capturedClick(number));
  spool.close();
  const errors: string[] = [];
  await open((message) => errors.push(message));
  mkdirSync(movePaths(config).folder, { recursive: true });
  await spools.truncate();
  return { isMoving: isMovingClicks(config), errors };
}

const spoolBytesMax = 2 * 1024 ** 2;

test("a move of clicks ends when the spool of a worker has filled half of its share", async () => {
  config = readConfig({ WAYPOST_DATA: data, WAYPOST_WORKERS: "1", WAYPOST_SPOOL_MAX_BYTES: String(spoolBytesMax) });

  expect(await moveAfter(spoolBytesMax / 5)).toEqual({ isMoving: true, errors: [] });
  spools.close();
  expect(await moveAfter(spoolBytesMax / 4)).toEqual({
    isMoving: false,
    errors: [expect.stringContaining("move of clicks to ClickHouse was ended")],
  });
});

test("a move of clicks ends when the disk is nearly full", async () => {
  const disk = mountDisk(data, "16m");
  try {
    if (disk.kind === "refused") return;
    expect(await moveAfter(0)).toMatchObject({ isMoving: false });
  } finally {
    if (disk.kind === "mounted") disk.unmount();
  }
});
