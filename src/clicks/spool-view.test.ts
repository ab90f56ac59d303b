import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appendTick, brokenFiles, capturedClicks, spoolFolder, testSpool } from "../../tests/support/spools.ts";
import type { Spool } from "./spool.ts";
import { segmentFileName } from "./spool-format.ts";
import { viewSpool } from "./spool-view.ts";

let folder: ReturnType<typeof spoolFolder>;
let spool: Spool;

beforeEach(() => {
  folder = spoolFolder();
  spool = testSpool(folder.directory, { segmentBytesMax: 2_000, files: brokenFiles({}) });
});
afterEach(() => {
  spool.close();
  folder.remove();
});

async function append(from: number, to: number): Promise<void> {
  await appendTick(spool, capturedClicks(from, to));
}

test("the files of a spool show another process the writer's state", async () => {
  const views = [viewSpool(folder.directory)];
  const known = [{ id: spool.id, end: spool.end(), bytes: spool.bytes() }];
  for (let turn = 0; turn < 20; turn++) {
    await append(turn * 10, turn * 10 + 10);
    views.push(viewSpool(folder.directory));
    known.push({ id: spool.id, end: spool.end(), bytes: spool.bytes() });
  }
  const basesBefore = viewSpool(folder.directory)?.bases ?? [];
  spool.truncate(spool.end());
  views.push(viewSpool(folder.directory));
  known.push({ id: spool.id, end: spool.end(), bytes: spool.bytes() });

  expect(views.map((view) => view && { id: view.id, end: view.end, bytes: view.bytes })).toEqual(known);
  expect(basesBefore.length).toBeGreaterThan(1);
  expect(viewSpool(folder.directory)?.bases).toEqual(basesBefore.slice(-1));
});

test("a segment under construction hides no earlier segment", async () => {
  await append(0, 10);
  const before = viewSpool(folder.directory);
  const next = segmentFileName(spool.end());

  for (const bytes of ["", "WPSPOOL\n"]) {
    writeFileSync(join(folder.directory, next), bytes);
    const { bases, ...view } = viewSpool(folder.directory) ?? {};
    expect([view, bases]).toEqual([
      { id: spool.id, end: spool.end(), bytes: spool.bytes() },
      [...(before?.bases ?? []), spool.end()],
    ]);
  }
});

test("a missing folder, an empty one, and a first segment under construction have no view", () => {
  const empty = join(folder.directory, "worker-1");
  expect(viewSpool(empty)).toBeUndefined();
  mkdirSync(empty);
  expect(viewSpool(empty)).toBeUndefined();
  writeFileSync(join(empty, "0000000000000000.spool"), "WPSPOOL\n");
  expect(viewSpool(empty)).toBeUndefined();
});
