import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";

let folder = "";
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypost-reading-"));
  database = await openDatabase({ kind: "sqlite", path: join(folder, "waypost.sqlite") });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

test("a query in the reading thread sees everything committed before it", async () => {
  const { db, reads } = database;
  for (const value of ["one", "two", "three"]) {
    await db.deleteFrom("settings").execute();
    await db.insertInto("settings").values({ name: "colour", value }).execute();

    expect(await reads.selectFrom("settings").selectAll().execute()).toEqual([{ name: "colour", value }]);
  }
});

test("a long query does not block the visitors' thread", async () => {
  const order: string[] = [];
  const long = sql`
    with recursive "numbers" ("number") as (select 1 union all select "number" + 1 from "numbers" where "number" < 3000000)
    select count(*) as "rows" from "numbers"`
    .execute(database.reads)
    .then(({ rows }) => order.push(JSON.stringify(rows)));
  for (let turn = 0; turn < 3; turn++) {
    await database.db.selectFrom("settings").selectAll().execute();
    order.push("during");
  }
  await long;

  expect(order).toEqual(["during", "during", "during", '[{"rows":3000000}]']);
});

test("the reading thread writes nothing", async () => {
  const insert = database.reads.insertInto("settings").values({ name: "colour", value: "blue" }).execute();

  expect((await insert.catch((error: unknown) => error)) instanceof Error).toBe(true);
  expect(await database.db.selectFrom("settings").selectAll().where("name", "=", "colour").execute()).toEqual([]);
});

test("a failed query leaves the reading thread usable", async () => {
  const wrong = sql`select * from "nothing"`.execute(database.reads);

  expect(await wrong.catch((error: unknown) => error)).toMatchObject({ code: "unavailable" });
  expect((await sql`select 1 as "one"`.execute(database.reads)).rows).toEqual([{ one: 1 }]);
});
