import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hourMs } from "../../src/base/time.ts";
import { CountsDiffer, type MovedStore, moveClicks, TargetInUse } from "../../src/clicks/move.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import { openClickHouseStore } from "../../src/clicks/stores/clickhouse/clickhouse-store.ts";
import { openPostgresBatchLog } from "../../src/clicks/stores/clickhouse/postgres-batch-log.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { randomClicks, seededRandom } from "../support/clicks.ts";
import { everything } from "../support/store-conformance/tested-store.ts";
import { openClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { openTestedStore } from "./tested-clickhouse.ts";

const workspaceIds = [1, 2, 3];
const expiry = { from: Date.UTC(2026, 9, 30), before: Date.UTC(2026, 9, 31), to: Date.UTC(2026, 10, 3) };
const cursors = { ["ab".repeat(16)]: 701, ["cd".repeat(16)]: 123 };
/** So small that the clicks of a workspace on a day are one part, with several batches. */
const bounds = { partClicksMax: 100, batchMax: 40 };
const unreported = { onClicks() {}, onCompared() {} };

let clickHouse: TestClickHouse;
let folder = "";
beforeAll(async () => {
  clickHouse = await openClickHouse();
  folder = mkdtempSync(join(tmpdir(), "waypost-move-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await clickHouse.stop();
});

let opened = 0;
const openDuckDb = () => openDuckDbStore({ path: join(folder, `${opened++}.duckdb`), threads: 1 });

/** A store with clicks of three workspaces around a month's end; some have expired. */
async function filledStore() {
  const store = await openDuckDb();
  const [first = "", second = ""] = Object.keys(cursors);
  const clicks = workspaceIds.flatMap((workspaceId) =>
    randomClicks(seededRandom(workspaceId), 500, { from: expiry.from, to: expiry.to }, { workspaceId }),
  );
  await store.insert({ spoolId: first, from: 0, to: 700 }, clicks.slice(0, 700));
  await store.expire({ workspaceId: 1, before: expiry.before });
  await store.insert({ spoolId: second, from: 0, to: 123 }, clicks.slice(700));
  // Late clicks of a time that has expired already, so that buckets have several rows.
  await store.insert(
    { spoolId: first, from: 700, to: 701 },
    clicks.slice(0, 60).map((click, index) => ({ ...click, id: idOf(index) })),
  );
  await store.expire({ workspaceId: 1, before: expiry.before + hourMs });
  return store;
}

function idOf(index: number): string {
  return `00000000-0000-8000-8000-${String(index).padStart(12, "0")}`;
}

/** All that a store tells about its clicks. */
async function contentsOf(store: ClickStore & MovedStore) {
  const ofWorkspace = async (workspaceId: number) => {
    const all = { ...everything, workspaceId };
    const perLink = {
      ...all,
      grouping: { kind: "dimension", dimension: "linkId", within: ["key"], rowsMax: 100 },
    } as const;
    const perQuarter = { ...all, grouping: { kind: "intervals", intervalMs: hourMs / 4 } } as const;
    return [
      await store.page({ ...all, order: "oldestFirst", offset: 0, limit: 2_000 }),
      await store.query(perLink),
      await store.query(perQuarter),
      (await store.linkCounts({ workspaceId, after: "", limit: 100 })).links,
      await store.firstClick({ workspaceId, before: Date.UTC(2100, 0) }),
    ];
  };
  return { workspaces: await Promise.all(workspaceIds.map(ofWorkspace)), cursors: await store.move.cursors() };
}

/** The same store, whose inserts fail from one on. */
function failingFrom(store: MovedStore, failing: number): MovedStore {
  let inserts = 0;
  return {
    ...store,
    move: store.move,
    async insert(batch, rows) {
      if (++inserts >= failing) throw new Error("The target is away.");
      await store.insert(batch, rows);
    },
  };
}

test("clicks move to ClickHouse and back, also in several attempts, and every answer stays the same", async () => {
  const source = await filledStore();
  const { store: target, remove } = await openTestedStore(clickHouse);
  const back = await openDuckDb();
  const before = await contentsOf(source);
  const there = { moveId: "there", bounds, ...unreported };

  await expect(moveClicks(source, failingFrom(target, 9), there)).rejects.toThrow("away");
  const partly = Object.keys(await target.move.cursors());
  await expect(moveClicks(source, failingFrom(target, 3), there)).rejects.toThrow("away");
  const result = await moveClicks(source, target, there);
  await target.move.replaceMoved(result.cursors);
  const moved = await contentsOf(target);
  await target.expire({ workspaceId: 2, before: expiry.before });
  const expired = await contentsOf(target);
  await back.move.replaceMoved((await moveClicks(target, back, { moveId: "back", bounds, ...unreported })).cursors);

  expect(partly.length).toBeGreaterThan(1);
  expect(result.cursors).toEqual(cursors);
  expect(result.clicks).toBe((await source.move.countDays()).reduce((sum, day) => sum + day.clicks, 0));
  expect(moved).toEqual(before);
  expect(expired).not.toEqual(moved);
  expect(await contentsOf(back)).toEqual(expired);
  for (const store of [source, back]) await store.close();
  await remove();
});

test("a move goes on after a kill while ClickHouse stored the first batch", async () => {
  const source = await filledStore();
  const tested = await openTestedStore(clickHouse);
  const log = openPostgresBatchLog(tested.databaseUrl);
  const killed = openClickHouseStore(
    { url: tested.url, exportsFolder: join(folder, "exports") },
    { ...log, complete: () => Promise.reject(new Error("Killed.")) },
  );
  const there = { moveId: "there", bounds, ...unreported };

  await expect(moveClicks(source, killed, there)).rejects.toThrow("Killed.");
  const { clicks, cursors } = await moveClicks(source, tested.store, there);
  await tested.store.move.replaceMoved(cursors);

  expect(clicks).toBeGreaterThan(0);
  expect(await contentsOf(tested.store)).toEqual(await contentsOf(source));
  for (const store of [source, killed]) await store.close();
  await tested.remove();
});

test("a target that was being cleared is cleared again, although it has clicks and no cursor of a part", async () => {
  const source = await filledStore();
  const { store: target, remove } = await openTestedStore(clickHouse);
  const there = { moveId: "there", bounds, ...unreported };
  await expect(moveClicks(source, failingFrom(target, 5), there)).rejects.toThrow("away");
  const killed: MovedStore = { ...target, move: { ...target.move, clear: () => Promise.reject(new Error("Killed.")) } };

  await expect(moveClicks(source, killed, { ...there, moveId: "other" })).rejects.toThrow("Killed.");
  await target.move.replaceMoved((await moveClicks(source, target, there)).cursors);

  expect(await contentsOf(target)).toEqual(await contentsOf(source));
  await source.close();
  await remove();
});

test("a move begins from the start when another move was not completed, and never touches clicks of a service", async () => {
  const source = await filledStore();
  const { store: target, remove } = await openTestedStore(clickHouse);
  const before = await contentsOf(source);

  await expect(moveClicks(source, failingFrom(target, 5), { moveId: "one", bounds, ...unreported })).rejects.toThrow(
    "away",
  );
  const { cursors } = await moveClicks(source, target, { moveId: "two", bounds, ...unreported });
  await target.move.replaceMoved(cursors);

  expect(await contentsOf(target)).toEqual(before);
  await expect(moveClicks(source, target, { moveId: "two", bounds, ...unreported })).rejects.toBeInstanceOf(
    TargetInUse,
  );
  expect(await contentsOf(target)).toEqual(before);
  await source.close();
  await remove();
});

test("a click that is missing in the target is found before the target takes over", async () => {
  const source = await filledStore();
  const { store: target, remove } = await openTestedStore(clickHouse);
  let lost = 0;
  const lossy: MovedStore = {
    ...target,
    move: target.move,
    insert: (batch, rows) => target.insert(batch, lost++ === 4 ? rows.slice(1) : rows),
  };

  const moving = moveClicks(source, lossy, { moveId: "lossy", bounds, ...unreported });

  await expect(moving).rejects.toBeInstanceOf(CountsDiffer);
  expect(Object.keys(await target.move.cursors()).every((id) => id.startsWith("moved-"))).toBe(true);
  await source.close();
  await remove();
});

test("cursors of a service are never removed, also when the target has no clicks", async () => {
  const source = await filledStore();
  const { store: target, remove } = await openTestedStore(clickHouse);
  await target.move.replaceMoved(cursors);

  const moving = moveClicks(source, target, { moveId: "other", bounds, ...unreported });

  await expect(moving).rejects.toBeInstanceOf(TargetInUse);
  expect(await target.move.cursors()).toEqual(cursors);
  await source.close();
  await remove();
});
