/** The current version opens data folders of every release, written by `npm run fixture` (see CONTRIBUTING.md). */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Kysely, Migrator, PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import { z } from "zod";
import { migrations } from "../src/database/migrations/migrations.ts";
import { waypost } from "./support/command.ts";
import { waitUntilDrained } from "./support/counted-once.ts";
import { engines } from "./support/databases.ts";
import { backupName, type ReleaseFixture, whyNotMade } from "./support/make-fixture.ts";
import { sharedPostgres, type TestPostgres } from "./support/postgres.ts";
import { browser, programCommand, startOn, startServer, type TestServer } from "./support/server.ts";

const folder = join(import.meta.dir, "fixtures/releases");
const [engine] = engines;
const postgres = engine === "postgres" ? await sharedPostgres() : undefined;
afterAll(() => postgres?.stop());

const Links = z.array(z.object({ key: z.string(), clicks: z.int(), comments: z.string().nullable() }));

for (const name of readdirSync(folder).filter((file) => file.endsWith(`.${engine}.json.gz`))) {
  describe(name, () => {
    test("opens with its links, users, settings and clicks, and counts clicks that waited in the spool", async () => {
      const fixture = readFixture(name);
      const server = await openFixture(fixture);
      try {
        const { clicks, emails } = fixture.expected;
        const total = Object.values(clicks).reduce((sum, each) => sum + each, 0);
        await waitUntilDrained(server);

        const links = Links.parse((await server.call("GET", "/links")).body);
        expect(Object.fromEntries(links.map((link) => [link.key, link.clicks]))).toMatchObject(clicks);
        expect(links.find(({ key }) => key === "plain")?.comments).toBe("kept");
        expect(await server.call("GET", "/analytics/clicks?interval=all")).toMatchObject({ body: { clicks: total } });
        expect(JSON.stringify((await server.call("GET", "/workspaces/1/members")).body)).toContain(emails[0] ?? "");
        expect(JSON.stringify((await server.call("GET", "/domains")).body)).toContain("go.example.com");

        const ios =
          "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1";
        const visit = (path: string, agent: string) => server.visit(path, { headers: { "User-Agent": agent } });
        expect((await visit("/rules", ios)).headers.get("location")).toBe("https://example.com/ios?utm_source=poster");
        expect((await visit("/secret", browser["User-Agent"])).status).toBe(200);
        expect((await visit("/secret?pw=open%20sesame", browser["User-Agent"])).status).toBe(302);
        await waitUntilDrained(server);
        expect(await server.call("GET", "/analytics/clicks?interval=all")).toMatchObject({
          body: { clicks: total + 2 },
        });

        expect(await waypost(["clicks", "verify"], server)).toMatchObject({ code: 0 });
        const created = await server.call("POST", "/links", { body: { url: "https://example.com/new", key: "new" } });
        expect(created.status).toBe(200);
        // A shutdown empties the spool except for its last segment, which the next start continues.
        expect(await server.end("SIGTERM")).toBe(0);
        const again = await server.restart();
        expect(await again.call("GET", "/analytics/clicks?interval=all")).toMatchObject({
          body: { clicks: total + 2 },
        });
        expect(await again.end("SIGTERM")).toBe(0);
      } finally {
        await server.remove();
      }
    }, 240_000);
  });
}

for (const name of engine === "sqlite" ? readdirSync(folder).filter((file) => file.endsWith(".backup")) : []) {
  test(`${name} restores with its links and clicks`, async () => {
    const { release, expected } = readFixture(`${name.slice(0, -".backup".length)}.json.gz`);
    const data = mkdtempSync(join(tmpdir(), "waypost-restored-"));
    const restored = await waypost(["restore", join(folder, backupName(release))], { data });
    const server = await startOn(data, programCommand("serve"));
    try {
      await waitUntilDrained(server);

      expect(restored).toMatchObject({ code: 0 });
      const links = Links.parse((await server.call("GET", "/links")).body);
      expect(Object.fromEntries(links.map((link) => [link.key, link.clicks]))).toMatchObject(expected.clicks);
      expect(await waypost(["clicks", "verify"], server)).toMatchObject({ code: 0 });
    } finally {
      await server.remove();
    }
  }, 240_000);
}

test("`npm run fixture` refuses to overwrite a fixture of the same version, and says what to do", () => {
  const made = mkdtempSync(join(tmpdir(), "waypost-fixtures-"));
  writeFileSync(join(made, "1.2.3.postgres.json.gz"), "");

  const refusal = whyNotMade(made, "1.2.3");

  expect(refusal).toContain("has fixtures of version 1.2.3 already: 1.2.3.postgres.json.gz.");
  expect(refusal).toContain("Raise the version in package.json first.");
  expect(refusal).toContain("npm run fixture -- --force");
  expect(whyNotMade(made, "1.2.4")).toBeUndefined();
  rmSync(made, { recursive: true });
});

function readFixture(name: string): ReleaseFixture {
  return JSON.parse(new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(folder, name)))));
}

async function openFixture({ files, tables }: ReleaseFixture): Promise<TestServer> {
  const server = await startServer();
  await server.end("SIGTERM");
  for (const entry of readdirSync(server.data)) rmSync(join(server.data, entry), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(server.data, path)), { recursive: true });
    writeFileSync(join(server.data, path), Buffer.from(content, "base64"));
  }
  if (postgres === undefined) return await server.restart();
  return await server.restart({ ...server.environment, WAYPOST_DATABASE_URL: await restore(tables, postgres) });
}

/** A database with the tables and rows of the release. */
async function restore(tables: ReleaseFixture["tables"], postgres: TestPostgres): Promise<string> {
  const url = await postgres.createDatabase();
  const Applied = z.array(z.object({ name: z.string() }));
  const last = Applied.parse(tables["kysely_migration"])
    .map(({ name }) => name)
    .sort()
    .at(-1);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }) });
  const provider = { getMigrations: async () => migrations("postgres") };
  const { error } = await new Migrator({ db, provider }).migrateTo(last ?? "");
  await db.destroy();
  if (error !== undefined) throw error;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("set session_replication_role = replica");
  for (const [name, rows] of Object.entries(tables)) {
    if (name.startsWith("kysely_")) continue;
    await client.query(`delete from "${name}"`);
    const columns = await client.query<{ list: string }>(
      `select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns
       where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
      [name],
    );
    const { list = "" } = columns.rows[0] ?? {};
    await client.query(
      `insert into "${name}" (${list}) overriding system value select ${list} from json_populate_recordset(null::"${name}", $1)`,
      [JSON.stringify(rows)],
    );
  }
  await advanceSequences(client);
  await client.end();
  return url;
}

/** Sets sequences to continue after the restored numbers. */
async function advanceSequences(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; column: string; sequence: string }>(
    `select table_name as name, column_name as column, pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
     from information_schema.columns where table_schema = 'public'
       and pg_get_serial_sequence(quote_ident(table_name), column_name) is not null`,
  );
  for (const { name, column, sequence } of rows) {
    await client.query(`select setval($1, (select coalesce(max("${column}"), 0) + 1 from "${name}"))`, [sequence]);
  }
}
