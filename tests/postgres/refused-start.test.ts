import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endPostgresClient, openPostgresClient } from "../../src/database/postgres-client.ts";
import { isPostgresEmpty } from "../../src/database/postgres-copy.ts";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { browser, programCommand, startOn } from "../support/server.ts";

test("a start with a database that does not exist is refused in one line that names it", async () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
  const postgres = await sharedPostgres();
  try {
    const environment = { WAYPOST_DATABASE_URL: postgres.url("absent") };
    const { code, stdout, stderr } = await waypost(["serve"], { data, environment });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^waypost: .*refuses absent: database "absent" does not exist \(3D000\)\.[^\n]*\n$/);
  } finally {
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

test("a database that is not in UTF-8 is refused by starts, doctor, moves and restores, and stays empty", async () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
  const postgres = await sharedPostgres();
  const url = postgres.url(`latin_${process.pid}`);
  const name = new URL(url).pathname.slice(1);
  const admin = await openPostgresClient(postgres.url("postgres"));
  const detail =
    "The database has the encoding LATIN1, but Waypost needs UTF8. Create one with template template0 encoding 'UTF8'; pg_dump and psql copy existing data into it.";
  try {
    await admin.query(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`);
    const environment = { WAYPOST_DATABASE_URL: url };

    const start = await waypost(["serve"], { data, environment });
    const doctor = await waypost(["doctor"], { data, environment });
    await waypost(["user", "create", "--email", "ann@example.com"], { data });
    const move = await waypost(["migrate", "--to-database", url], { data });
    const backup = join(data, "backup.tar");
    const source = {
      data: join(data, "source"),
      environment: { WAYPOST_DATABASE_URL: await postgres.createDatabase() },
    };
    await waypost(["user", "create", "--email", "bob@example.com"], source);
    await waypost(["backup", backup], source);
    const restore = await waypost(["restore", backup], { data: join(data, "restored"), environment });

    expect(start).toEqual({ code: 1, stdout: "", stderr: `waypost: ${detail}\n` });
    expect(doctor.stdout).toContain(`FAIL  database: ${detail}\n`);
    expect({ code: move.code, names: move.stderr.includes(detail) }).toEqual({ code: 1, names: true });
    expect(restore.stderr).toContain(detail);
    expect(await isPostgresEmpty(url)).toBe(true);
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await endPostgresClient(admin);
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

test("a role with the two documented statements is enough, and a role without them, or without a password, is explained", async () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
  const postgres = await sharedPostgres();
  const name = `owned_${process.pid}`;
  const admin = await openPostgresClient(postgres.url("postgres"));
  const urlOf = (role: string, password: string) => {
    const url = new URL(postgres.url(name));
    [url.username, url.password] = [role, password];
    return url.href;
  };
  const list = async (url: string) =>
    await waypost(["user", "create", "--email", "ann@example.com"], {
      data,
      environment: { WAYPOST_DATABASE_URL: url },
    });
  try {
    await admin.query(`create role ${name} login password 'secret'`);
    await admin.query(`create database ${name} owner ${name}`);
    await admin.query(`create role ${name}_guest login password 'secret'`);

    const guest = await list(urlOf(`${name}_guest`, "secret"));
    const silent = await list(urlOf(name, ""));
    const owner = await list(urlOf(name, "secret"));

    expect(guest.stderr).toContain("(42501). The role must own the database.");
    expect(silent.stderr).toMatch(
      /^waypost: WAYPOST_DATABASE_URL: the PostgreSQL at \S+ asks for a password\.[^\n]*\n$/,
    );
    expect(owner).toMatchObject({ code: 0 });
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query(`drop role if exists ${name}, ${name}_guest`);
    await endPostgresClient(admin);
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

test.each([
  [
    "clicks.duckdb",
    "Set it to the database of these clicks, or restore a backup. To start empty, use an empty folder.",
  ],
  ["waypost.sqlite", "To move waypost.sqlite there, run waypost migrate --to-database without this option."],
])("an empty database does not get the clicks of another one; the folder also holds %s", async (file, advice) => {
  const data = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
  const postgres = await sharedPostgres();
  try {
    for (const name of ["clicks.duckdb", file]) writeFileSync(join(data, name), "", { mode: 0o600 });
    const url = await postgres.createDatabase();
    const detail = `WAYPOST_DATABASE_URL: this database is empty, but ${data} holds clicks of another one. ${advice}`;

    const start = await waypost(["serve"], { data, environment: { WAYPOST_DATABASE_URL: url } });
    const doctor = await waypost(["doctor"], { data, environment: { WAYPOST_DATABASE_URL: url } });

    expect(start).toEqual({ code: 1, stdout: "", stderr: `waypost: ${detail}\n` });
    expect(doctor.stdout).toContain(`FAIL  database: ${detail}\n`);
    expect(await isPostgresEmpty(url)).toBe(true);
  } finally {
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

test("the database of another service does not get the clicks of a data folder", async () => {
  const postgres = await sharedPostgres();
  const start = async () => {
    const data = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
    const environment = { WAYPOST_DATABASE_URL: await postgres.createDatabase() };
    const server = await startOn(data, programCommand("serve"), environment);
    await server.call("POST", "/links", { body: { url: "https://example.com/", key: "a" } });
    await server.visit("/a", { headers: browser });
    await waitUntilDrained(server);
    await server.end("SIGTERM");
    return { server, data, environment };
  };
  const [first, other] = [await start(), await start()];
  try {
    const { code, stdout, stderr } = await waypost(["serve"], { data: first.data, environment: other.environment });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`${first.data}/clicks.duckdb has the clicks of another Waypost`);
    expect(stderr).toEndWith("To start without these clicks, use an empty folder.\n");
  } finally {
    for (const { server } of [first, other]) await server.remove();
    await postgres.stop();
  }
}, 60_000);

test("a first start succeeds after others that ended before they created the first user", async () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
  const postgres = await sharedPostgres();
  try {
    const environment = { WAYPOST_DATABASE_URL: await postgres.createDatabase() };
    // This command opens all that a start opens, and creates no user.
    for (let start = 0; start < 2; start++) await waypost(["clicks", "verify"], { data, environment });

    const server = await startOn(data, programCommand("serve"), environment);

    expect((await server.call("GET", "/workspaces")).status).toBe(200);
    await server.remove();
  } finally {
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
}, 60_000);
