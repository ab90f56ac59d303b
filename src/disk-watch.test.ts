import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLog } from "./base/log.ts";
import { hourMs } from "./base/time.ts";
import { DiskWatch, diskSpaceOf } from "./disk-watch.ts";

let data = "";
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "waypost-test-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const mebibyte = 1024 ** 2;
const ample = 4_096 * mebibyte;

test("space is low before it is short, by the disk and by the limit", () => {
  const cases = [
    [{ freeBytes: ample, storeBytes: ample }, 0, "ample"],
    [{ freeBytes: 1_000 * mebibyte, storeBytes: 0 }, 0, "low"],
    [{ freeBytes: 500 * mebibyte, storeBytes: 0 }, 0, "short"],
    [{ freeBytes: ample, storeBytes: 79 }, 100, "ample"],
    [{ freeBytes: ample, storeBytes: 80 }, 100, "low"],
    [{ freeBytes: ample, storeBytes: 100 }, 100, "short"],
  ] as const;

  expect(cases.map(([reading, storeBytesMax]) => diskSpaceOf(reading, storeBytesMax))).toEqual(
    cases.map(([, , space]) => space),
  );
});

test("a store at its limit causes long texts to be cut, logged at once and then once an hour", async () => {
  const lines: string[] = [];
  let now = 0;
  const texts = { isDiskShort: false };
  const log = openLog("info", (line) => lines.push(JSON.parse(line).message.slice(0, 30)));
  // More than any disk has free, so that only the limit decides.
  const config = { WAYPOST_DATA: data, WAYPOST_STORE_MAX_BYTES: 1_000 };
  const watch = new DiskWatch({ config, texts, log, now: () => now });
  const path = join(data, "clicks.duckdb");
  writeFileSync(path, Buffer.alloc(700));
  await watch.check();
  const isShortBefore = texts.isDiskShort;
  writeFileSync(`${path}.wal`, Buffer.alloc(400));

  const { storeBytes } = await watch.check();
  await watch.check();
  now += hourMs;
  await watch.check();

  expect({ isShortBefore, isShort: texts.isDiskShort, storeBytes }).toEqual({
    isShortBefore: false,
    isShort: true,
    storeBytes: 1_100,
  });
  expect(lines).toEqual(["The room for clicks is short: ", "The room for clicks is short: "]);
  truncateSync(`${path}.wal`, 0);
  await watch.check();
  expect(texts.isDiskShort).toBe(false);
  expect(lines.at(-1)).toBe("There is room for clicks again");
});
