import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines, type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { insertRows, prepared, type Slot } from "./prepared.ts";

const selectSettings = prepared((db, value: Slot<{ name: string; value: string }>) =>
  db
    .selectFrom("settings")
    .select(["name", "value"])
    .where((where) => where.or([where("name", "=", value("name")), where("value", "=", value("value"))]))
    .where("name", "not in", ["unwanted", "it's ?"])
    .where("value", "<>", "it's ?")
    .orderBy("name")
    .limit(2),
);

for (const engine of engines) {
  describe(engine, () => {
    let opened: TestDatabase;

    beforeAll(async () => {
      opened = await testDatabase(engine);
      await opened.database.db.deleteFrom("settings").execute();
      await insertRows(opened.database.db, "settings", [
        { name: "a", value: "1" },
        { name: "b", value: "2" },
        { name: "c", value: "it's ?" },
        { name: "it's ?", value: "2" },
        { name: "unwanted", value: "2" },
      ]);
    });
    afterAll(() => opened.close());

    test("a prepared query uses the values of each call, and keeps its constants", async () => {
      const { db } = opened.database;

      const results = [
        await selectSettings(db, { name: "a", value: "2" }),
        await selectSettings(db, { name: "b", value: "3" }),
        await selectSettings(db, { name: "'", value: "?" }),
        await selectSettings(db, { name: "c", value: "it's ?" }),
      ];

      expect(results).toEqual([
        [
          { name: "a", value: "1" },
          { name: "b", value: "2" },
        ],
        [{ name: "b", value: "2" }],
        [],
        [],
      ]);
    });

    test("rows with other columns are inserted with their own, and the table's defaults fill the rest", async () => {
      const { db } = opened.database;
      const event = { workspaceId: 1, type: "x", at: 1, data: "{}" };

      await insertRows(db, "events", [{ ...event, objectId: "one" }]);
      await insertRows(db, "events", [{ objectId: "two", userId: "u", ...event }]);

      const rows = await db.selectFrom("events").select(["objectId", "userId", "type"]).orderBy("id").execute();
      expect(rows).toEqual([
        { objectId: "one", userId: null, type: "x" },
        { objectId: "two", userId: "u", type: "x" },
      ]);
    });
  });
}
