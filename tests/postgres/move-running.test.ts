/** A service on SQLite goes on changing its data while waypost migrate copies them into PostgreSQL. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { openDatabaseForCopy } from "../../src/database/open-database.ts";
import { openPostgresRows } from "../../src/database/postgres-rows.ts";
import { clickCounts } from "../support/click-counts.ts";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { answersOf, fillForMove } from "../support/moved-service.ts";
import { sharedPostgres, type TestPostgres } from "../support/postgres.ts";
import {
  browser,
  eventually,
  programCommand,
  serverEnvironment,
  startServer,
  type TestServer,
} from "../support/server.ts";
import { visitUntilStopped } from "../support/visitors.ts";

let postgres: TestPostgres;
let server: TestServer;
let url = "";
beforeEach(async () => {
  postgres = await sharedPostgres();
  server = await startServer({}, "sqlite");
  await fillForMove(server);
  url = await postgres.createDatabase();
});
afterEach(async () => {
  await server.remove();
  await postgres.stop();
});

/** Waits until a copy has its snapshot and is about to write tags, holds it there while `work` runs, and lets it go on. */
async function whileCopying(command: () => Move, work: (move: Move) => Promise<void>): Promise<Move> {
  const rows = await openPostgresRows(url);
  if ((await rows.progress()) === undefined) await rows.begin(join(server.data, "waypost.sqlite"));
  await rows.close();
  await (await openDatabaseForCopy({ kind: "postgres", url })).close();
  const holder = new Client(url);
  await holder.connect();
  try {
    await holder.query(`begin; lock table "tags" in share mode`);
    const move = command();
    await eventually(
      async () => (await holder.query(waiting)).rowCount,
      (found) => found === 1,
    );
    await work(move);
    return move;
  } finally {
    await holder.end();
  }
}

const waiting = `select 1 from pg_locks where locktype = 'relation' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

const waitingBackend = `select pid from pg_locks where locktype = 'relation' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

type Move = ReturnType<typeof startMove>;
function startMove() {
  const child = Bun.spawn(programCommand("migrate", "--to-database", url), {
    env: serverEnvironment(server.data, server.environment),
    stdout: "pipe",
    stderr: "pipe",
  });
  const ended = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]).then(
    ([stdout, stderr, code]) => ({ stdout, stderr, code }),
  );
  return { child, ended };
}

async function succeed(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await server.call(method, path, body === undefined ? {} : { body });
  expect({ method, path, ...answer, succeeded: [200, 201].includes(answer.status) }).toMatchObject({ succeeded: true });
}

const create = (key: string) => server.call("POST", "/links", { body: { url: "https://example.com/new", key } });
const snapshots = () => existsSync(join(server.data, "waypost.move"));

async function idOf(key: string): Promise<string> {
  const { body } = await server.call("GET", "/domains");
  const domain = String(Object(Object(body)[0])["slug"]);
  const link = await server.call("GET", `/links/info?domain=${encodeURIComponent(domain)}&key=${key}`);
  return String(Object(link.body)["id"]);
}

const restartOnPostgres = () => server.restart({ ...server.environment, WAYPOST_DATABASE_URL: url });

test("changes during the copy are accepted, and are the same on PostgreSQL", async () => {
  const [changed, removed] = [await idOf("offer-7"), await idOf("offer-8")];
  const { ended } = await whileCopying(startMove, async () => {
    await succeed("POST", "/tags", { name: "during" });
    await succeed("PATCH", `/links/${changed}`, { url: "https://example.com/changed", tagNames: ["during"] });
    await succeed("DELETE", `/links/${removed}`);
    await succeed("POST", "/links", { url: "https://example.com/again", key: "offer-8", tagNames: ["during"] });
    await succeed("PATCH", `/links/${await idOf("offer-9")}`, { key: "renamed" });
    await succeed("POST", "/links", { url: "https://example.com/new", key: "offer-9" });
    await succeed("POST", "/folders", { name: "during" });
    await succeed("POST", "/workspaces", { name: "During" });
    for (let at = 0; at < 5; at++) await server.visit("/offer-8", { headers: browser });
    await waitUntilDrained(server);
  });
  const moved = await ended;
  const expected = await answersOf(server);
  await server.end("SIGTERM");
  server = await restartOnPostgres();

  expect(moved.stderr).toMatch(/^Copied \d+ rows that had changed\.$/m);
  expect(moved.stderr).not.toContain("copied again");
  expect(moved.stderr).toMatch(/^Waypost has refused changes for \d+\.\d s\.$/m);
  expect(moved.code).toBe(0);
  expect(await answersOf(server)).toEqual(expected);
  expect(snapshots()).toBe(false);
}, 300_000);

test("links that exchange their keys during the copy have them on PostgreSQL", async () => {
  const [one, other] = [await idOf("offer-1"), await idOf("offer-2")];
  const { ended } = await whileCopying(startMove, async () => {
    await succeed("PATCH", `/links/${one}`, { key: "between" });
    await succeed("PATCH", `/links/${other}`, { key: "offer-1" });
    await succeed("PATCH", `/links/${one}`, { key: "offer-2" });
  });
  const moved = await ended;
  const expected = await answersOf(server);
  await server.end("SIGTERM");
  server = await restartOnPostgres();

  expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining("all rows are copied again") });
  expect(await answersOf(server)).toEqual(expected);
  expect(await idOf("offer-1")).toBe(other);
}, 300_000);

test("visitors and reports go on during a move, through a killed command, and no click is lost", async () => {
  const before = await clickCounts(server);
  const stop = visitUntilStopped(server, ["offer-0", "offer-1", "offer-2"]);
  let during = 0;
  let second = "";

  await whileCopying(startMove, async ({ child }) => {
    during = (await create("during")).status;
    second = (await waypost(["migrate", "--to-database", url.replace(/[^/]+$/, "other")], server)).stderr;
    child.kill("SIGKILL");
    await child.exited;
  });
  const left = snapshots();
  const between = await create("between");
  const moved = await waypost(["migrate", "--to-database", url], server);
  const after = await create("after");
  const reading = await server.call("GET", "/links/count");
  const doctor = await waypost(["doctor"], server);
  const backup = await waypost(["backup", join(server.data, "../moved.waypost")], server);
  const visits = await stop();
  await server.end("SIGTERM");
  const old = await waypost(["serve"], server);
  server = await restartOnPostgres();
  await server.visit("/during", { headers: browser });
  await server.visit("/between", { headers: browser });
  await waitUntilDrained(server);

  expect([during, between.status, after.status, reading.status]).toEqual([200, 200, 503, 200]);
  expect(second).toContain("Another waypost migrate is moving this database.");
  expect([left, snapshots()]).toEqual([true, false]);
  expect(JSON.stringify(after.body)).toContain("until the operator restarts the service");
  expect(doctor.stdout).toContain("FAIL  database: its data was moved to PostgreSQL, so changes are refused; restart");
  expect(backup).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The data was moved to PostgreSQL, so this"),
  });
  expect(moved).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Restart Waypost with WAYPOST_DATABASE_URL now"),
  });
  expect(old.stderr).toContain("was moved to PostgreSQL");
  expect(await clickCounts(server)).toMatchObject({
    report: before.report + visits + 2,
    counted: before.counted + visits + 2,
  });
  expect((await create("later")).status).toBe(200);
}, 300_000);

test("links with maxClicks answer 503 from the end of a move to the restart, and keep their limit", async () => {
  await succeed("POST", "/links", { url: "https://example.com/limited", key: "limited", maxClicks: 2 });
  const visit = async () => (await server.visit("/limited", { headers: browser })).status;

  const before = await visit();
  const moved = await waypost(["migrate", "--to-database", url], server);
  const between = await visit();
  await server.end("SIGTERM");
  server = await restartOnPostgres();
  const after = [await visit(), await visit()];

  expect({ code: moved.code, before, between, after }).toEqual({
    code: 0,
    before: 302,
    between: 503,
    after: [302, 410],
  });
}, 300_000);

test("a move that was killed after the file was marked is finished by the next command, and no start uses either database before", async () => {
  const expected = await answersOf(server);
  const rows = await openPostgresRows(url);
  await rows.begin(join(server.data, "waypost.sqlite"));
  await rows.close();
  const holder = new Client(url);
  await holder.connect();
  // The last step removes this table.
  await holder.query(`begin; lock table "databaseCopyProgress" in access share mode`);
  const { child } = startMove();
  const pid = await eventually(
    async () => (await holder.query<{ pid: number }>(waitingBackend)).rows[0]?.pid,
    (found) => found !== undefined,
    120_000,
  );
  child.kill("SIGKILL");
  await child.exited;
  await holder.query("select pg_terminate_backend($1)", [pid]);
  await holder.end();
  await server.end("SIGTERM");

  const onFile = await waypost(["serve"], server);
  const onPostgres = await waypost(["serve"], {
    data: server.data,
    environment: { ...server.environment, WAYPOST_DATABASE_URL: url },
  });
  const again = await waypost(["migrate", "--to-database", url], server);
  server = await restartOnPostgres();

  expect(onFile.stderr).toContain("The data was moved to PostgreSQL");
  expect(onPostgres.stderr).toContain(
    "The database holds an unfinished copy of another one. Run waypost migrate again",
  );
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`"links":1201`) });
  expect(await answersOf(server)).toEqual(expected);
}, 300_000);

test("a file that another command moves during the copy is moved once", async () => {
  const other = await postgres.createDatabase();
  let first = { code: -1 };
  const { ended } = await whileCopying(startMove, async () => {
    await server.end("SIGTERM");
    first = await waypost(["migrate", "--to-database", other], server);
  });
  const second = await ended;

  expect(first).toMatchObject({ code: 0 });
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("moved to PostgreSQL: set WAYPOST_DATABASE_URL to that"),
  });
}, 300_000);

test("a copy that was interrupted while Waypost ran begins again while it is stopped, and a start removes its snapshots", async () => {
  await whileCopying(startMove, async ({ child }) => {
    child.kill("SIGKILL");
    await child.exited;
  });
  await succeed("DELETE", `/links/${await idOf("offer-3")}`);
  const left = snapshots();
  await server.end("SIGTERM");
  server = await server.restart();
  const started = snapshots();
  const expected = await answersOf(server);
  await server.end("SIGTERM");

  const moved = await waypost(["migrate", "--to-database", url], server);
  server = await restartOnPostgres();

  expect([left, started]).toEqual([true, false]);
  expect(moved).toMatchObject({ code: 0 });
  expect(await answersOf(server)).toEqual(expected);
}, 300_000);
