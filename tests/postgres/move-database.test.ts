/** The relational data moves from SQLite to PostgreSQL and back. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { copyTables } from "../../src/database/copy-tables.ts";
import { openDatabaseForCopy } from "../../src/database/open-database.ts";
import { openPostgresRows } from "../../src/database/postgres-rows.ts";
import { openSqliteRows } from "../../src/database/sqlite-rows.ts";
import { clickCounts } from "../support/click-counts.ts";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { sharedPostgres } from "../support/postgres.ts";
import {
  browser,
  programCommand,
  serverEnvironment,
  startOn,
  startServer,
  type TestServer,
} from "../support/server.ts";
import { visitUntilStopped } from "../support/visitors.ts";

const links = 1_200;
const paths = [
  "/links?pageSize=100",
  "/links/count",
  "/links/count?search=offer",
  "/tags",
  "/folders",
  "/domains",
  "/workspaces",
  "/workspaces/1/members",
  "/analytics?groupBy=top_links&interval=all&event=clicks",
  "/analytics?groupBy=timeseries&interval=all&event=clicks",
  "/events?interval=all&event=clicks&limit=100",
];

async function answers(server: TestServer): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await server.call("GET", path);
    expect({ path, status }).toEqual({ path, status: 200 });
    found[path] = body;
  }
  return JSON.parse(JSON.stringify(found).replaceAll(/(127\.0\.0\.1|localhost)(:|%3A)\d+/g, "host"));
}

async function fill(server: TestServer): Promise<void> {
  await server.call("POST", "/tags", { body: { name: "Grün 🌱" } });
  for (let from = 0; from < links; from += 100) {
    const body = Array.from({ length: 100 }, (_, at) => ({
      url: `https://example.com/${from + at}`,
      key: `offer-${from + at}`,
      comments: 'A "quoted" text\nwith \\ and é',
      tagNames: ["Grün 🌱"],
    }));
    expect((await server.call("POST", "/links/bulk", { body })).status).toBe(200);
  }
  for (let at = 0; at < 20; at++) await server.visit(`/offer-${at % 3}`, { headers: browser });
  await waitUntilDrained(server);
}

test("links and clicks are the same on PostgreSQL and back on SQLite, and the left database cannot be used", async () => {
  const postgres = await sharedPostgres();
  const server = await startServer({}, "sqlite");
  const { data } = server;
  try {
    await fill(server);
    const expected = await answers(server);
    const url = await postgres.createDatabase();
    await server.end("SIGTERM");

    const moved = await waypost(["migrate", "--to-database", url], { data });
    const left = await waypost(["serve"], { data });
    const second = await startOn(data, programCommand("serve"), { WAYPOST_DATABASE_URL: url });
    const onPostgres = await answers(second);
    expect(
      (await second.call("POST", "/links", { body: { url: "https://example.com/later", key: "later" } })).status,
    ).toBe(200);
    await second.visit("/later", { headers: browser });
    await waitUntilDrained(second);
    const later = await answers(second);
    const running = await waypost(["migrate", "--to-database", "sqlite"], {
      data,
      environment: { WAYPOST_DATABASE_URL: url },
    });
    await second.end("SIGTERM");
    const back = await waypost(["migrate", "--to-database", "sqlite"], {
      data,
      environment: { WAYPOST_DATABASE_URL: url },
    });
    expect(back).toMatchObject({ code: 0 });
    const third = await startOn(data, programCommand("serve"), {});
    const onSqlite = await answers(third);
    await third.end("SIGTERM");

    expect(running.stderr).toContain("is in use");
    expect(moved).toMatchObject({ code: 0 });
    expect(JSON.parse(moved.stdout).rows.links).toBe(links + 1);
    expect(left.stderr).toContain("was moved to PostgreSQL");
    expect(onPostgres).toEqual(expected);
    expect(onSqlite).toEqual(later);
    expect(existsSync(join(data, "waypost.sqlite.unfinished"))).toBe(false);
    expect(await waypost(["clicks", "verify"], { data })).toMatchObject({ code: 0 });
  } finally {
    await server.remove();
    await postgres.stop();
  }
}, 300_000);

test("a running service moves to PostgreSQL: visitors and reports go on, changes are refused, and no click is lost", async () => {
  const postgres = await sharedPostgres();
  let server = await startServer({}, "sqlite");
  try {
    await fill(server);
    const url = await postgres.createDatabase();
    const before = await clickCounts(server);
    const stop = visitUntilStopped(server, ["offer-0", "offer-1", "offer-2"]);
    const create = (key: string) => server.call("POST", "/links", { body: { url: "https://example.com/new", key } });

    const killed = Bun.spawn(programCommand("migrate", "--to-database", url), {
      env: serverEnvironment(server.data, server.environment),
      stdout: "ignore",
      stderr: "pipe",
    });
    const lines = killed.stderr.getReader();
    for (let text = ""; !text.includes("Copying links"); ) {
      text += new TextDecoder().decode((await lines.read()).value);
    }
    killed.kill("SIGSTOP");
    const during = await create("during");
    killed.kill("SIGKILL");
    await killed.exited;
    const between = await create("between");
    const moved = await waypost(["migrate", "--to-database", url], server);
    const after = await create("after");
    const reading = await server.call("GET", "/links/count");
    const doctor = await waypost(["doctor"], server);
    const visits = await stop();
    await server.end("SIGTERM");
    const left = await waypost(["serve"], server);
    server = await server.restart({ ...server.environment, WAYPOST_DATABASE_URL: url });
    await server.visit("/between", { headers: browser });
    await waitUntilDrained(server);

    expect([during.status, between.status, after.status, reading.status]).toEqual([503, 200, 503, 200]);
    expect(JSON.stringify(after.body)).toContain("until the operator restarts the service");
    expect(doctor.stdout).toContain(
      "FAIL  database: its data was moved to PostgreSQL, so changes are refused; restart",
    );
    expect(moved).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Restart Waypost with WAYPOST_DATABASE_URL now"),
    });
    expect(left.stderr).toContain("was moved to PostgreSQL");
    expect(await clickCounts(server)).toMatchObject({
      report: before.report + visits + 1,
      counted: before.counted + visits + 1,
    });
    expect((await create("later")).status).toBe(200);
  } finally {
    await server.remove();
    await postgres.stop();
  }
}, 300_000);

test("an interrupted copy goes on, and keeps servers out until it is complete", async () => {
  const postgres = await sharedPostgres();
  const server = await startServer({}, "sqlite");
  try {
    await fill(server);
    await server.end("SIGTERM");
    const path = join(server.data, "waypost.sqlite");
    const url = await postgres.createDatabase();
    const interrupted = await openPostgresRows(url);
    await interrupted.begin(path);
    await (await openDatabaseForCopy({ kind: "postgres", url })).close();
    const source = openSqliteRows(path);
    let copied = 0;
    const failing = copyTables(source, interrupted, {
      name: path,
      report(_, table, rows) {
        if (table === "links") copied += rows;
        if (copied > 600) throw new Error("The power failed.");
      },
    });
    await expect(failing).rejects.toThrow("The power failed.");
    await interrupted.close();
    await source.close();

    const early = await waypost(["serve"], { data: server.data, environment: { WAYPOST_DATABASE_URL: url } });
    const absent = await waypost(["migrate", "--to-database", url.replace(/[^/]+$/, "absent")], server);
    const completed = await waypost(["migrate", "--to-database", url], server);
    const occupied = await waypost(["migrate", "--to-database", url], { data: server.data });

    expect(copied).toBe(1_000);
    expect(early.stderr).toContain("unfinished copy");
    // Each problem of the target names the option that the person wrote.
    expect(absent.stderr).toMatch(/^waypost: --to-database: the PostgreSQL at .* refuses absent/m);
    expect(absent.stderr).not.toContain("WAYPOST_DATABASE_URL");
    expect(completed).toMatchObject({ code: 0 });
    expect(completed.stderr).toContain("Copying links: 201 rows.");
    expect(occupied.code).toBe(1);
  } finally {
    await server.remove();
    await postgres.stop();
  }
}, 300_000);
