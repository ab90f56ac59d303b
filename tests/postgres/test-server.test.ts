import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { Client } from "pg";
import { sharedPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await sharedPostgres();
});

afterAll(() => postgres.stop());

test("a new database answers", async () => {
  const url = await postgres.createDatabase();

  const rows = await query(url, "select 1 as answer");

  expect(rows).toEqual([{ answer: 1 }]);
});

test("two databases do not see each other's tables", async () => {
  const [first, second] = await Promise.all([postgres.createDatabase(), postgres.createDatabase()]);
  await query(first, "create table only_in_first (id int)");

  const rows = await query(second, "select to_regclass('only_in_first') as found");

  expect(rows).toEqual([{ found: null }]);
});

test("the server does not run as root", async () => {
  const own = await startPostgres();

  const folder = await Bun.file(own.folder).stat();

  expect(folder.uid).not.toBe(0);
  await own.stop();
});

test("stopping a server removes its folder and frees its port", async () => {
  const own = await startPostgres();
  const existedBefore = existsSync(own.folder);

  await own.stop();

  expect({ existedBefore, existsAfter: existsSync(own.folder) }).toEqual({ existedBefore: true, existsAfter: false });
  await expect(query(own.url("postgres"), "select 1")).rejects.toThrow("ECONNREFUSED");
});

// The starter is a separate process, so that the test can kill it.
test("a server exits when the process that started it is killed", async () => {
  const script = `const { folder } = await (await import("../support/postgres.ts")).startPostgres();
    console.log(folder); setInterval(() => {}, 1000);`;
  const starter = Bun.spawn([process.execPath, "-e", script], { cwd: import.meta.dir, stdout: "pipe" });
  const { value } = await starter.stdout.getReader().read();
  const folder = new TextDecoder().decode(value).trim();
  const existedBefore = existsSync(folder);

  starter.kill("SIGKILL");

  expect(existedBefore).toBe(true);
  await waitUntilRemoved(folder);
});

async function waitUntilRemoved(folder: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (existsSync(folder)) {
    if (Date.now() > deadline) throw new Error(`${folder} still exists`);
    await Bun.sleep(20);
  }
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
