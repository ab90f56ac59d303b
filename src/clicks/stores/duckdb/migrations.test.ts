import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { neverAborted } from "../../../../tests/support/store-conformance/tested-store.ts";
import { storeSchemaVersion } from "../schema-version.ts";
import { usualLevelBounds } from "./compact.ts";
import { openDuckDbStore } from "./duckdb-store.ts";
import { openEngine } from "./engine.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waypost-test-"));
  path = join(folder, "clicks.duckdb");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(...statements: string[]): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  let rows: unknown[][] = [];
  for (const sql of statements) rows = (await connection.runAndReadAll(sql)).getRows();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

async function openedId(): Promise<string> {
  const engine = await openEngine({ path, threads: 1, memoryMax: "256MB", levelBounds: usualLevelBounds });
  await engine.close();
  return engine.storeId;
}

const about = 'SELECT "version", "storeId" FROM about';

test("a new file has the current version and a permanent id", async () => {
  const storeId = await openedId();

  expect(await openedId()).toBe(storeId);
  expect(await run(about)).toEqual([[storeSchemaVersion, storeId]]);
});

test("a file without a version is migrated and keeps its rows", async () => {
  await openedId();
  await run("DROP TABLE about", "INSERT INTO cursors VALUES ('5a', 77)");

  const storeId = await openedId();

  expect(await run(about)).toEqual([[storeSchemaVersion, storeId]]);
  expect(await run("SELECT * FROM cursors")).toEqual([["5a", 77n]]);
});

const referrers = `SELECT "referer", "refererGroup", "channel" FROM referrers ORDER BY "number"`;
const insertReferrers = `INSERT INTO referrers ("number", "hash", "referer", "refererUrl")
  VALUES (0, 0, '', ''), (1, 1, 'l.instagram.com', 'a'), (2, 2, 'l.instagram.com', 'b'), (3, 3, 'example.org', '')`;
const grouped = [
  ["", "", "direct"],
  ["l.instagram.com", "Instagram", "social"],
  ["l.instagram.com", "Instagram", "social"],
  ["example.org", "example.org", "referral"],
];

test("a file of version 2 gets the groups and channels of its referrers", async () => {
  await openedId();
  await run(
    "UPDATE about SET version = 2",
    "DROP VIEW clicks",
    ...["refererGroup", "channel"].map((column) => `ALTER TABLE referrers DROP COLUMN "${column}"`),
    'ALTER TABLE about DROP COLUMN "referrerTable"',
    insertReferrers,
  );

  await openedId();

  expect(await run(referrers)).toEqual(grouped);
});

test("referrers are corrected when the file is opened after a change of the table of services, and only then", async () => {
  await openedId();
  await run(insertReferrers, `UPDATE referrers SET "refererGroup" = 'Before', "channel" = 'ai'`);

  await openedId();
  const unchanged = await run(`SELECT DISTINCT "refererGroup" FROM referrers`);
  await run(`UPDATE about SET "referrerTable" = 'before'`);
  await openedId();

  expect(unchanged).toEqual([["Before"]]);
  expect(await run(referrers)).toEqual(grouped);
});

test("a file whose creation was interrupted is completed", async () => {
  await openedId();
  await run("DROP TABLE about", "DROP TABLE leftovers");

  expect(await openedId()).not.toBe("");
  expect(await run("SELECT count(*) FROM about")).toEqual([[1n]]);
});

test("a file after maintain has the same version and id", async () => {
  const storeId = await openedId();
  await run("INSERT INTO leftovers VALUES (now()::TIMESTAMP)");
  const store = await openDuckDbStore({ path, threads: 1 });

  expect(await store.maintain(neverAborted)).toBe(true);
  await store.close();

  expect(await run(about)).toEqual([[storeSchemaVersion, storeId]]);
});

test("a file of a newer version is refused with both versions, and does not change", async () => {
  await openedId();
  await run('UPDATE about SET "version" = 99', "DROP VIEW clicks");

  await expect(openedId()).rejects.toThrow(
    `The file has schema version 99, and this program knows versions up to ${storeSchemaVersion}: a newer version of Waypost wrote it.`,
  );
  expect(await run("SELECT count(*) FROM duckdb_views() WHERE view_name = 'clicks'")).toEqual([[0n]]);
});
