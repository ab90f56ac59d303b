import { expect, test } from "bun:test";
import { testDatabase } from "../../tests/support/databases.ts";
import { openLog } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { readConfig } from "../config.ts";
import { forEveryReader } from "./cursors.ts";
import { foreignStoreError, refuseForeignStore } from "./foreign-store.ts";
import { StoreLosses } from "./store-losses.ts";

const config = readConfig({});

/** A store with an id and clicks of some spools. */
function storeWith(id: string, ...spoolIds: string[]) {
  const cursors = Object.fromEntries(spoolIds.map((spoolId) => [spoolId, 100]));
  return { storeId: async () => id, linkCounts: async () => ({ cursors, links: [], upTo: undefined }) };
}

test("a store is foreign when it has another id and clicks of unknown spools only", async () => {
  const testDb = await testDatabase("sqlite");
  const { db } = testDb.database;
  const losses = new StoreLosses({
    ...{ db, pipeline: storeWith("own"), isStoreAbsent: () => true, folders: () => [], now: () => 5_000 },
    log: openLog("error", () => {}),
  });
  const isForeign = async (pipeline: ReturnType<typeof storeWith>) =>
    (await foreignStoreError(config, { db, pipeline })) !== undefined;
  try {
    const before = await isForeign(storeWith("own", "first"));
    // The service ends before it counts a click.
    await losses.beforeStoring("first", forEveryReader(0));

    expect(before).toBe(true);
    expect(await isForeign(storeWith("own", "another"))).toBe(false);
    expect(await isForeign(storeWith("restored", "another", "first"))).toBe(false);
    expect(await isForeign(storeWith("new"))).toBe(false);
    expect(await isForeign(storeWith("foreign", "another"))).toBe(true);
  } finally {
    await testDb.close();
  }
});

test("a store that cannot be opened is not refused", async () => {
  const testDb = await testDatabase("sqlite");
  const unavailable = async () => {
    throw new Problem("unavailable", "The click store cannot answer at the moment.");
  };
  try {
    const pipeline = { ...storeWith("foreign", "another"), storeId: unavailable };

    expect(await refuseForeignStore(config, { db: testDb.database.db, pipeline })).toBeUndefined();
  } finally {
    await testDb.close();
  }
});
