import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines, type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { fitsPasswordHash, hashingLoads, hashingMax, hashingWaitingMax, passwordHashOf } from "./password-hash.ts";
import { insertSignInLink, insertUser, useSignInLink } from "./users.ts";

const floodSize = hashingMax + hashingWaitingMax + 20;
const anyone = { account: "user_1" };
const password = "correct horse battery";

test("a flood of passwords is hashed up to a bound, and the rest must retry; the metrics show both", async () => {
  const { refused: refusedBefore } = hashingLoads().workspaces;
  const flood = Array.from({ length: floodSize }, (_, index) =>
    problemOf(passwordHashOf("secret", { workspaceId: index })),
  );

  const during = hashingLoads().workspaces;
  const refused = (await Promise.all(flood)).filter((problem) => problem !== undefined);

  expect(refused.map(({ code }) => code)).toEqual(Array(20).fill("unavailable"));
  expect(during).toMatchObject({ running: hashingMax, waiting: hashingWaitingMax });
  expect(hashingLoads().workspaces).toEqual({ running: 0, waiting: 0, refused: refusedBefore + 20 });
  expect(await fitsPasswordHash("secret", await passwordHashOf("secret", anyone), anyone)).toBe(true);
});

for (const engine of engines) {
  describe(engine, () => {
    let tested: TestDatabase;
    beforeAll(async () => {
      tested = await testDatabase(engine);
    });
    afterAll(() => tested.close());

    // If the passwords were hashed, later ones would be refused with "unavailable".
    test("clients without a one-time link cannot make the server hash passwords", async () => {
      const { db } = tested.database;
      const deps = { db, now: () => 1_000 };
      const open = await db.transaction().execute(async (tx) => {
        const userId = await insertUser(tx, { email: null, name: "Ann", passwordHash: null }, 1_000);
        return await insertSignInLink(tx, userId, 1_000);
      });
      const flood = Array.from({ length: floodSize }, () =>
        problemOf(useSignInLink(deps, "unknown", { name: "Eve", email: "eve@example.com", password })),
      );

      await useSignInLink(deps, open, { name: "Ann", email: "ann@example.com", password });

      expect((await Promise.all(flood)).map((problem) => problem?.code)).toEqual(Array(floodSize).fill("not_found"));
    });
  });
}
