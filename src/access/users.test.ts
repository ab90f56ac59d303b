import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines, type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { dayMs } from "../base/time.ts";
import { findSignInLink, forgetExpiredSignInLinks, insertSignInLink, insertUser, normalizeEmail } from "./users.ts";

test("every database and mail server reads an e-mail address as the same single address", () => {
  expect(normalizeEmail(" Ada.Lovelace+x@Example.com ")).toBe("ada.lovelace+x@example.com");
  expect(normalizeEmail("zoë@例え.テスト")).toBe("zoë@例え.テスト");
  const bad = ["ada", "@", "a@b@c", "a@b\0.example", "a\u0001@b.example", "x<ada@b.example>", "x,ada@b.example"];
  for (const text of [...bad, 'x"@b.example', "group:ada@b.example;", "a@b.example\r\nBcc:c", "\ud800@b.example"]) {
    expect([text, normalizeEmail(text)]).toEqual([text, undefined]);
  }
});

for (const engine of engines) {
  describe(engine, () => {
    let tested: TestDatabase;

    beforeAll(async () => {
      tested = await testDatabase(engine);
    });
    afterAll(() => tested.close());

    test("expired one-time links are deleted, and open ones stay", async () => {
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
      expect(await findSignInLink(deps, open)).toMatchObject({ email: null });
    });
  });
}
