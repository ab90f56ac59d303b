import { expect, test } from "bun:test";
import { testDatabase } from "../../tests/support/databases.ts";
import { openLog } from "../base/log.ts";
import type { Db } from "../database/database.ts";
import { acceptStoreLosses, type StoreLoss, StoreLosses } from "./store-losses.ts";

/** The losses as one of the nodes with a common click store sees them, and the messages that it logs. */
function nodeOf(db: Db, storeId = async () => "shared") {
  const messages: string[] = [];
  const losses = new StoreLosses({
    ...{ db, pipeline: { storeId }, isStoreAbsent: () => false, folders: () => [], now: () => 5_000 },
    log: openLog("error", (line) => messages.push(JSON.parse(line).message)),
  });
  return { losses, messages };
}

test("a loss that one node records is known and logged on every node, until one of them accepts it", async () => {
  const testDb = await testDatabase("sqlite");
  const { db } = testDb.database;
  const [one, other] = [nodeOf(db), nodeOf(db)];
  try {
    for (const { losses } of [one, other]) await losses.check();
    await one.losses.reportOlder(100);
    for (const { losses } of [one, other, other]) await losses.check();
    const found = [one.losses.current, other.losses.current];
    await acceptStoreLosses(db);
    one.losses.forget();
    for (const { losses } of [one, other]) await losses.check();

    const loss: StoreLoss[] = [{ kind: "older", bytes: 100, foundAt: 5_000 }];
    expect(found).toEqual([loss, loss]);
    const message = [expect.stringContaining("the click store is older than the spool")];
    expect([one.messages, other.messages]).toEqual([message, message]);
    expect([one.losses.current, other.losses.current]).toEqual([[], []]);
  } finally {
    await testDb.close();
  }
});

test("a store is remembered again after the command of a stopped node accepted its losses", async () => {
  const testDb = await testDatabase("sqlite");
  const { db } = testDb.database;
  const { losses } = nodeOf(db);
  try {
    await losses.check();
    await acceptStoreLosses(db);
    await losses.check();

    expect(await db.selectFrom("clickStores").selectAll().execute()).toEqual([{ storeId: "shared" }]);
  } finally {
    await testDb.close();
  }
});

test("a check asks the store for its id once", async () => {
  const testDb = await testDatabase("sqlite");
  let asked = 0;
  const { losses } = nodeOf(testDb.database.db, async () => `id ${++asked}`);
  try {
    await losses.check();
    await losses.check();

    expect(asked).toBe(1);
  } finally {
    await testDb.close();
  }
});
