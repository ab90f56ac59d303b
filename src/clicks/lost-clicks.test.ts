import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spoolFolder } from "../../tests/support/spools.ts";
import { openLog } from "../base/log.ts";
import { minuteMs } from "../base/time.ts";
import { DropWatch } from "./drop-watch.ts";
import { acceptLosses, LossRecord, mergeLosses, readLosses } from "./lost-clicks.ts";

let folder: ReturnType<typeof spoolFolder>;
let directory = "";

beforeEach(() => {
  folder = spoolFolder();
  ({ directory } = folder);
  mkdirSync(directory, { recursive: true });
});
afterEach(() => folder.remove());

const none = { dropped: null, damaged: null };

test("losses add up across restarts until they are accepted, also while the service runs", () => {
  const first = new LossRecord(directory);
  first.count("dropped", { clicks: 100, reason: "the spool is full" }, 1_000);
  first.save();
  const second = new LossRecord(directory);
  second.count("dropped", { clicks: 49, reason: "ENOSPC: no space left on device, write" }, 9_000);
  second.count("damaged", { clicks: 3, reason: "200 damaged bytes" }, 8_000);
  second.save();

  expect(readLosses(directory)).toEqual({
    dropped: { clicks: 149, since: 1_000, last: 9_000, reason: "ENOSPC: no space left on device, write" },
    damaged: { clicks: 3, since: 8_000, last: 8_000, reason: "200 damaged bytes" },
  });
  acceptLosses(directory);
  expect(readLosses(directory)).toEqual(none);
  second.count("dropped", { clicks: 5, reason: "the spool is full" }, 20_000);
  second.save();
  expect(readLosses(directory).dropped).toEqual({
    clicks: 5,
    since: 20_000,
    last: 20_000,
    reason: "the spool is full",
  });
});

test("the file keeps its length, so that it can be written on a full disk", () => {
  const record = new LossRecord(directory);
  const path = join(directory, "lost-clicks.json");
  const before = statSync(path).size;

  record.count("dropped", { clicks: Number.MAX_SAFE_INTEGER, reason: "x".repeat(10_000) }, Date.now());
  record.count("damaged", { clicks: Number.MAX_SAFE_INTEGER, reason: '"'.repeat(10_000) }, Date.now());
  record.save();

  expect(statSync(path).size).toBe(before);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ dropped: { clicks: Number.MAX_SAFE_INTEGER } });
});

test("accepting losses keeps the file and its length, so that the next loss can be written on a full disk", () => {
  const record = new LossRecord(directory);
  record.count("dropped", { clicks: 5, reason: "the spool is full" }, 1_000);
  record.save();
  const path = join(directory, "lost-clicks.json");
  const before = statSync(path);

  acceptLosses(directory);

  expect(readLosses(directory)).toEqual(none);
  const { ino, size } = statSync(path);
  expect({ ino, size }).toEqual({ ino: before.ino, size: before.size });
});

test("accepting losses creates no record in a folder without one", () => {
  acceptLosses(directory);

  expect(existsSync(join(directory, "lost-clicks.json"))).toBe(false);
});

test("a record that the disk refuses is written with the next save", () => {
  const record = new LossRecord(directory);
  rmSync(directory, { recursive: true });
  record.count("dropped", { clicks: 7, reason: "EIO: i/o error, write" }, 1_000);
  record.save();

  mkdirSync(directory);
  record.save();

  expect(readLosses(directory).dropped?.clicks).toBe(7);
});

test("a damaged record reads as no loss, and later losses are recorded", () => {
  const record = new LossRecord(directory);
  const path = join(directory, "lost-clicks.json");
  truncateSync(path, 10);
  expect(readLosses(directory)).toEqual(none);
  writeFileSync(path, "{}");
  chmodSync(path, 0o600);

  record.count("dropped", { clicks: 1, reason: "" }, 1);
  record.save();

  expect(readLosses(directory).dropped?.clicks).toBe(1);
});

test("merged losses of two spools have their first and last times", () => {
  const one = { dropped: { clicks: 1, since: 5, last: 9, reason: "a" }, damaged: null };
  const other = { dropped: { clicks: 2, since: 3, last: 7, reason: "b" }, damaged: null };

  expect(mergeLosses(one, other)).toEqual({ dropped: { clicks: 3, since: 3, last: 9, reason: "a" }, damaged: null });
});

test("dropped clicks are logged at once, then once a minute with their number, and finally when the spool works again", () => {
  const lines: Record<string, unknown>[] = [];
  let now = 1_000_000;
  const dropped = { clicks: 0, reason: "ENOSPC: no space left on device, write" };
  let written = 0;
  const log = openLog("info", (line) => {
    const { message, clicks, total, reason, hint, dropped } = JSON.parse(line);
    lines.push({ message: message.slice(0, 21), clicks, total, reason, hint, dropped, at: now });
  });
  const record = new LossRecord(directory);
  const watch = new DropWatch({
    directory,
    spool: { dropped: () => ({ ...dropped }), written: () => written },
    record,
    log,
    now: () => now,
  });
  const start = now;

  watch.check();
  for (let second = 0; second < 150; second++) {
    dropped.clicks += 10;
    watch.check();
    now += 1_000;
  }
  for (let second = 0; second < 130; second++) {
    watch.check();
    now += 1_000;
  }
  written = 1;
  watch.check();

  const { reason } = dropped;
  const hint = "The disk is full: free some space. Nothing else is needed.";
  expect(lines).toEqual([
    { message: "Clicks are dropped: v", clicks: 10, total: 10, reason, hint, at: start },
    { message: "Clicks are dropped: v", clicks: 600, total: 610, reason, hint, at: start + minuteMs },
    { message: "Clicks are dropped: v", clicks: 600, total: 1_210, reason, hint, at: start + 2 * minuteMs },
    { message: "Clicks are dropped: v", clicks: 290, total: 1_500, reason, hint, at: start + 3 * minuteMs },
    { message: "The spool works again", dropped: 1_500, at: start + 280_000 },
  ]);
  expect(readLosses(directory).dropped).toMatchObject({ clicks: 1_500, since: start });
});

test("the spool works again 10 seconds after the last drop, also when the last drops were not logged yet", () => {
  const lines: string[] = [];
  let [now, written] = [1_000_000, 0];
  const dropped = { clicks: 0, reason: "ENOSPC: no space left on device, write" };
  const log = openLog("info", (line) => lines.push(JSON.parse(line).message));
  const spool = { dropped: () => ({ ...dropped }), written: () => written };
  const watch = new DropWatch({ directory, spool, record: new LossRecord(directory), log, now: () => now });
  for (let second = 0; second < 3; second++) {
    dropped.clicks += 10;
    watch.check();
    now += 1_000;
  }

  for (let second = 0; second < 12; second++) {
    written++;
    watch.check();
    now += 1_000;
  }

  expect(lines).toEqual([
    "Clicks are dropped: visitors are redirected, but their clicks are lost.",
    "The spool works again: clicks are written.",
  ]);
});
