/** One Waypost per PostgreSQL database: a second process would split the reports and miss what the first erases. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { type CommandResult, waypost } from "../support/command.ts";
import { eventually, startServer, type TestServer } from "../support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-database-lock-"));
let server: TestServer;

beforeAll(async () => {
  server = await startServer({}, "postgres");
});

afterEach(async () => {
  server = await server.restart();
});

afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

const databaseUrl = () => server.environment["WAYPOST_DATABASE_URL"] ?? "";

/** Runs a command with an empty data folder and the server's database. */
const runElsewhere = async (...args: string[]): Promise<CommandResult> =>
  await waypost(args, {
    data: mkdtempSync(join(folder, "data-")),
    environment: { WAYPOST_DATABASE_URL: databaseUrl() },
  });

/** The result of a process that is refused because the process `pid` has the database. */
function refusalNaming(pid: number): CommandResult {
  const { host, pathname } = new URL(databaseUrl());
  const stderr =
    `waypost: WAYPOST_DATABASE_URL: the PostgreSQL database ${pathname.slice(1)} at ${host} is in use by another Waypost ` +
    `(process ${pid} on ${hostname()}). One Waypost at a time can use a database: stop that one, or use another database. ` +
    "Run commands with the WAYPOST_DATA of the running Waypost, on its machine.\n";
  return { code: 1, stdout: "", stderr };
}

/** Runs `work` with a separate session on the server's database. */
async function withSession<Result>(work: (session: Client) => Promise<Result>): Promise<Result> {
  const session = new Client({ connectionString: databaseUrl() });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

const holders = `select pid, classid::int8 as class, objid::int8 as object from pg_locks
  join pg_database on pg_database.oid = pg_locks.database
  where locktype = 'advisory' and granted and datname = current_database()`;
type Holder = { pid: number; class: string; object: string };

async function holderIn(session: Client): Promise<Holder> {
  const { rows } = await session.query<Holder>(holders);
  const [holder] = rows;
  if (holder === undefined || rows.length > 1) throw new Error(`One lock was expected: ${JSON.stringify(rows)}`);
  return holder;
}

test("a second server is rejected with one line that names the first, which keeps running", async () => {
  const second = await runElsewhere("serve");

  expect(second).toEqual(refusalNaming(server.process.pid));
  expect((await server.call("GET", "/links")).status).toBe(200);
});

test("a second server with redirect workers is rejected too", async () => {
  const second = await waypost(["serve"], {
    data: mkdtempSync(join(folder, "data-")),
    environment: { WAYPOST_DATABASE_URL: databaseUrl(), WAYPOST_WORKERS: "1" },
  });

  expect(second).toEqual(refusalNaming(server.process.pid));
});

test("commands work on the data folder of the running server, and are rejected on any other", async () => {
  const { data, environment } = server;

  const beside = await waypost(["key", "list"], { data, environment });
  const refused = await Promise.all([
    runElsewhere("key", "list"),
    runElsewhere("user", "create", "--email", "ann@example.com"),
    runElsewhere("clicks", "verify"),
    runElsewhere("export", "clicks", "--workspace", "1", "--out", join(folder, "clicks.csv")),
    runElsewhere("benchmark", "generate", "--clicks", "1", "--links", "1", "--workspaces", "1"),
  ]);
  const doctor = await runElsewhere("doctor");

  expect(beside.code).toBe(0);
  for (const each of refused) expect(each).toEqual(refusalNaming(server.process.pid));
  expect(doctor.stdout).toContain("FAIL  database: WAYPOST_DATABASE_URL: the PostgreSQL database");
});

test("doctor names the database of the running server, although its terminal has no WAYPOST_DATABASE_URL", async () => {
  const { stdout } = await waypost(["doctor"], { data: server.data });

  expect(stdout).toContain("ok    database: PostgreSQL answers");
});

test("a killed server leaves no lock", async () => {
  await server.end("SIGKILL");

  expect((await runElsewhere("key", "list")).code).toBe(0);
});

test("a server whose lock is released by a broken connection takes it again", async () => {
  const before = await withSession(holderIn);
  await withSession((session) => session.query("select pg_terminate_backend($1)", [before.pid]));

  const after = await eventually(
    () => withSession(async (session) => (await session.query<Holder>(holders)).rows),
    (rows) => rows.some(({ pid }) => pid !== before.pid),
  );

  expect(after.length).toBe(1);
  expect(await runElsewhere("serve")).toEqual(refusalNaming(server.process.pid));
  expect((await server.call("GET", "/links")).status).toBe(200);
});

test("a server stops and logs it when another process has taken its lock", async () => {
  await withSession(async (session) => {
    const held = await holderIn(session);
    // This statement waits for the lock, and gets it when the server's connection breaks.
    const taken = session.query("select pg_advisory_lock($1::int, $2::int)", [held.class, held.object]);
    await withSession(async (other) => {
      await eventually(
        async () =>
          (await other.query("select 1 from pg_locks where locktype = 'advisory' and not granted")).rows.length,
        (waiting) => waiting === 1,
      );
      await other.query("select pg_terminate_backend($1)", [held.pid]);
    });
    await taken;

    expect(await server.process.exited).toBe(1);
  });
  expect(server.output()).toContain("Stopping, because another Waypost has taken over the database.");
  expect(server.output()).toContain("is in use by another Waypost. One Waypost at a time can use a database");
});
