import { expect, test } from "bun:test";
import { engines, testDatabase } from "../../tests/support/databases.ts";
import { databaseBytes } from "./database-bytes.ts";

test.each([...engines])("the bytes of a database on %s are those of its files", async (engine) => {
  const { database, close } = await testDatabase(engine);

  const bytes = await databaseBytes(database);

  await close();
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(100_000_000);
});
