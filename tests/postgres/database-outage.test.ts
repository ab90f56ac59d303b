/** PostgreSQL stops or hangs: visitors are still redirected, requests that need it get 503, and all of them recover. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { dataPaths } from "../../src/data-paths.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { NoticeListener } from "../../src/nodes/notice-listener.ts";
import { openPostgresLookup } from "../../src/redirects/lookup-postgres.ts";
import { isReplicaUsable } from "../../src/redirects/replica/lookup-replica.ts";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { type OwnPostgres, startPostgres } from "../support/postgres.ts";
import { browser, type Environment, eventually, startServer, type TestServer } from "../support/server.ts";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

let postgres: OwnPostgres;
let proxy: TcpProxy;

beforeAll(async () => {
  postgres = await startPostgres();
  proxy = await openTcpProxy(Number(new URL(postgres.url("postgres")).port));
});

afterAll(async () => {
  proxy.close();
  await postgres.stop();
});

/** Creates a database, and returns its URL through the proxy. */
async function databaseBehindProxy(): Promise<string> {
  const url = new URL(await postgres.createDatabase());
  url.port = String(proxy.port);
  return url.href;
}

/** The server's answer to a request of each kind, as one line each. */
async function answersOf(server: TestServer): Promise<Record<string, string>> {
  const paths = {
    health: "/healthz",
    readiness: "/readyz",
    metrics: "/metrics",
    dashboard: "/app",
    invite: "/app/invites/unknown",
    link: "/hello",
    api: "/v1/links",
  };
  const answers = Object.entries(paths).map(async ([name, path]) => {
    const headers = { ...browser, Authorization: "Bearer test_owner_key_0123456789_abcdef" };
    const answer = await server.visit(path, { headers });
    await answer.arrayBuffer();
    const type = (answer.headers.get("content-type") ?? "").split(";")[0];
    const retry = answer.headers.has("retry-after") ? ", retry later" : "";
    return [name, `${answer.status} ${type}${retry}`.trim()];
  });
  return Object.fromEntries(await Promise.all(answers));
}

const answersWithoutDatabase = {
  health: "200 application/json",
  readiness: "200 application/json",
  metrics: "200 text/plain",
  dashboard: "200 text/html",
  invite: "503 text/html, retry later",
  link: "302",
  api: "503 application/json, retry later",
};

/** Requests all paths at once, and returns them in the order of their answers. */
async function orderOfAnswers(server: TestServer, paths: readonly string[]): Promise<string[]> {
  const order: string[] = [];
  const visits = paths.map(async (path) => {
    await (await server.visit(path, { headers: browser })).text();
    order.push(path);
  });
  await Promise.all(visits);
  return order;
}

async function visitTimes(server: TestServer, count: number): Promise<number[]> {
  const visits = Array.from({ length: count }, () => server.visit("/hello", { headers: browser }));
  return (await Promise.all(visits)).map(({ status }) => status);
}

/** Stops the server; a failure shows what it printed. */
async function expectCleanEnd(server: TestServer): Promise<void> {
  const code = await server.end("SIGTERM");
  expect({ code, output: code === 0 ? "" : server.output() }).toEqual({ code: 0, output: "" });
}

const outageBegins = "A server that Waypost needs does not answer";
const outageEnds = "The servers that Waypost needs answer again.";

/** Waits for a line of the server's log. */
const logged = async (server: TestServer, line: string) =>
  await eventually(
    async () => server.output(),
    (output) => output.includes(line),
  );

/** Waits until the link works. */
const recovered = async (server: TestServer) =>
  await eventually(
    async () => (await server.visit("/hello", { headers: browser })).status,
    (status) => status === 302,
  );

/**
 * Starts a server with the link, which redirects from its copy of the links: a process that starts uses a complete copy at
 * once, and one that runs half a second later.
 */
async function startWithCopy(environment: Environment): Promise<TestServer> {
  const server = await startServer(environment);
  await server.call("POST", "/links", { body: { url: "https://example.com", key: "hello" } });
  await eventually(
    async () => isReplicaUsable(dataPaths({ WAYPOST_DATA: server.data }).replica),
    (isUsable) => isUsable,
  );
  const restarted = await server.restart();
  await recovered(restarted);
  return restarted;
}

/** The clicks that the link and the reports count, once the spool is read to its end. */
async function countedClicks(server: TestServer) {
  await waitUntilDrained(server);
  const [link] = (await server.call("GET", "/links?search=hello")).body as { clicks: number }[];
  const report = (await server.call("GET", "/analytics/clicks")).body as { clicks: number };
  return { link: link?.clicks, report: report.clicks };
}

describe.each([
  ["one process", {}],
  ["redirect workers", { WAYPOST_WORKERS: "2" }],
])("%s", (_, environment) => {
  test("redirects and counts while PostgreSQL is stopped, answers the rest with 503, and recovers when it is back", async () => {
    const url = await postgres.createDatabase();
    const server = await startWithCopy({ ...environment, WAYPOST_DATABASE_URL: url });
    const before = await visitTimes(server, 20);

    await postgres.interrupt();
    const answers = await answersOf(server);
    const during = await visitTimes(server, 10);
    const refusal = await server.call("GET", "/links");
    await logged(server, outageBegins);
    await postgres.resume();
    await recovered(server);
    await logged(server, outageEnds);

    expect(before).toEqual(before.map(() => 302));
    expect(answers).toEqual(answersWithoutDatabase);
    expect(during).toEqual(during.map(() => 302));
    expect(refusal.body).toMatchObject({ error: { code: "unavailable" } });
    expect(server.output().split(outageBegins)).toHaveLength(2);
    expect(server.output()).not.toContain("A background task failed");
    expect((await server.visit("/readyz")).status).toBe(200);
    expect(await server.call("GET", "/links")).toMatchObject({ status: 200 });
    // Two visits waited for the link to work; answersOf makes one.
    const visits = before.length + during.length + 3;
    expect(await countedClicks(server)).toEqual({ link: visits, report: visits });
    await expectCleanEnd(server);
    await server.remove();
  });
});

test("while PostgreSQL does not respond, requests wait only for a timeout; when it responds again, they work", async () => {
  const server = await startWithCopy({ WAYPOST_DATABASE_URL: await databaseBehindProxy() });

  proxy.hold();
  const answers = await answersOf(server);
  const order = await orderOfAnswers(server, ["/app/invites/unknown", "/hello", "/healthz", "/metrics", "/app"]);
  proxy.release();
  await recovered(server);

  expect(answers).toEqual(answersWithoutDatabase);
  // /healthz does not wait for PostgreSQL: the probes of Kubernetes time out after one second by default.
  expect(order.at(-1)).toBe("/app/invites/unknown");
  expect(await countedClicks(server)).toEqual({ link: 4, report: 4 });
  await expectCleanEnd(server);
  await server.remove();
});

test("each lookup for a visitor times out while PostgreSQL does not respond", async () => {
  const database = await openDatabase({ kind: "postgres", url: await databaseBehindProxy() });
  const lookup = openPostgresLookup(database.db);
  await lookup.blocks();

  proxy.hold();
  const lookups = [
    lookup.domain("go.example.com"),
    lookup.link("dom_1", "key"),
    lookup.isDeleted("dom_1", "key"),
    lookup.forwardingLink("dom_1", ["key"]),
    lookup.preview("link_1"),
    lookup.blocks(),
  ];
  const outcomes = await Promise.allSettled(lookups);
  proxy.release();

  expect(outcomes.map(({ status }) => status)).toEqual(lookups.map(() => "rejected"));
  await database.close();
});

test("notices of other nodes arrive again after the connection has become silent", async () => {
  const url = await databaseBehindProxy();
  const direct = new URL(url);
  direct.port = new URL(postgres.url("postgres")).port;
  const database = await openDatabase({ kind: "postgres", url: direct.href });
  const heard: unknown[] = [];
  const listener = new NoticeListener(url, "waypost_test", (payload) => heard.push(payload));
  const notify = async () => {
    await sql`select pg_notify('waypost_test', '1')`.execute(database.db);
    return heard.length;
  };
  const before = await eventually(notify, (count) => count > 0);

  proxy.silence();
  heard.length = 0;
  const after = await eventually(notify, (count) => count > 0);

  expect([before, after].every((count) => count > 0)).toBe(true);
  await listener.close();
  await database.close();
});

test("a start is refused in one line while PostgreSQL does not respond", async () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-outage-"));
  const environment = { WAYPOST_DATABASE_URL: await databaseBehindProxy() };

  proxy.hold();
  const { code, stderr } = await waypost(["serve"], { data, environment });
  proxy.release();

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `waypost: WAYPOST_DATABASE_URL: no PostgreSQL answers at 127.0.0.1:${proxy.port} (timeout expired). Start it, or leave the option out to use SQLite.\n`,
  });
  rmSync(data, { recursive: true });
});

test("commands name the PostgreSQL that the running server does not reach, and doctor prints all checks", async () => {
  const url = await postgres.createDatabase();
  const server = await startServer({ WAYPOST_DATABASE_URL: url });

  await postgres.interrupt();
  const doctor = await waypost(["doctor"], { data: server.data });
  const list = await waypost(["user", "list"], { data: server.data });
  const backup = await waypost(["backup", join(server.data, "../unreachable.waypost")], { data: server.data });
  await postgres.resume();

  const reason = `no PostgreSQL answers at ${new URL(url).host}`;
  for (const { code, stderr } of [list, backup]) expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  expect(doctor.stdout.split("\n").map((line) => line.split(":")[0])).toEqual(
    expect.arrayContaining([
      "ok    server",
      "FAIL  database",
      "ok    clicks",
      "FAIL  backup",
      "FAIL  certificates",
      "FAIL  secret",
    ]),
  );
  expect(doctor.stdout).toContain(`FAIL  database: ${reason}`);
  await server.remove();
});
