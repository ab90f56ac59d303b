import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databaseStartMsMax, engines, type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { dayMs } from "../base/time.ts";
import { forgetExpiredSignInLinks, insertSignInLink, insertUser, isSignInLinkOpen } from "./users.ts";

for (const engine of engines) {
  describe(engine, () => {
    let tested: TestDatabase;

    beforeAll(async () => {
      tested = await testDatabase(engine);
    }, databaseStartMsMax);
    afterAll(() => tested.close());

    test("one-time links that have expired are forgotten, and open ones stay", async () => {
      const { db } = tested.database;
      const start = Date.UTC(2026, 10, 21);
      const deps = { db, now: () => start + 8 * dayMs };
      const open = await db.transaction().execute(async (tx) => {
        const userId = await insertUser(tx, { email: null, name: "Ann", passwordHash: null }, start);
        await insertSignInLink(tx, userId, start);
        return await insertSignInLink(tx, userId, start + 2 * dayMs);
      });

      expect(await forgetExpiredSignInLinks(deps)).toBe(1);
      expect(await forgetExpiredSignInLinks(deps)).toBe(0);
      expect(await isSignInLinkOpen(deps, open)).toBe(true);
    });
  });
}
