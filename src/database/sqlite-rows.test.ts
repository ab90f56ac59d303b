import { Database as SqliteFile } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { isDatabaseUnavailable } from "./availability.ts";
import { movedSetting } from "./moved.ts";
import { storeSetting } from "./settings.ts";
import { lockSqliteRows } from "./sqlite-rows.ts";

let testDb: TestDatabase;
let path = "";
beforeEach(async () => {
  testDb = await testDatabase("sqlite");
  path = testDb.location.kind === "sqlite" ? testDb.location.path : "";
});
afterEach(() => testDb.close());

const insertUser = async () => {
  const { db } = testDb.database;
  await db.insertInto("users").values({ id: crypto.randomUUID(), name: "Ann", createdAt: 0 }).execute();
};

async function move(): Promise<void> {
  const rows = lockSqliteRows(path);
  await rows.endMoved("PostgreSQL", "copy");
  await rows.close();
}

test("rows that were moved cannot be changed, which clients can retry, until the operator goes on with them", async () => {
  await move();
  const failure = await insertUser().catch((error: unknown) => error);
  await storeSetting(testDb.database.db, "another", "setting");
  const file = new SqliteFile(path);
  file.query("DELETE FROM settings WHERE name = ?").run(movedSetting);
  file.close();
  await insertUser();

  expect(isDatabaseUnavailable(failure)).toBe(true);
});

test("rows that the operator went on with are moved again", async () => {
  await move();
  const file = new SqliteFile(path);
  file.query("DELETE FROM settings WHERE name = ?").run(movedSetting);
  file.close();

  await move();

  await expect(insertUser()).rejects.toThrow("moved to another database");
});
