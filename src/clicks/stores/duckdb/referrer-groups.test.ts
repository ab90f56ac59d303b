import { expect, test } from "bun:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { correctReferrerGroups } from "./referrer-groups.ts";
import { createTables } from "./star-schema.ts";

/** Pages of 3 referrers: none, a part of one, whole ones, and a part after them. */
test.each([0, 2, 3, 6, 7])("the referrers of every page are corrected: %d referrers", async (referrers) => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  for (const sql of createTables) await connection.run(sql);
  await connection.run("INSERT INTO about VALUES (1, 'store', 'before')");
  // Surrogate keys have gaps after a removal.
  await connection.run(
    `INSERT INTO referrers ("number", "hash", "referer", "refererUrl", "refererGroup", "channel")
     SELECT 2 * number, number, if(number % 3 = 0, number || '.example', number || '.instagram.com'), '', 'Before', 'ai'
     FROM range($referrers) AS stored(number) ORDER BY number DESC`,
    { referrers },
  );

  await correctReferrerGroups(connection, 3);
  const stored = await connection.runAndReadAll(
    `SELECT "referer", "refererGroup", "channel" FROM referrers ORDER BY "number"`,
  );
  const about = await connection.runAndReadAll(`SELECT "referrerTable" <> 'before' FROM about`);
  connection.closeSync();
  instance.closeSync();

  const expected = Array.from({ length: referrers }, (_, number) =>
    number % 3 === 0
      ? [`${number}.example`, `${number}.example`, "referral"]
      : [`${number}.instagram.com`, "Instagram", "social"],
  );
  expect(stored.getRows()).toEqual(expected);
  expect(about.getRows()).toEqual([[true]]);
});
