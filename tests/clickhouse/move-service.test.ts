import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clickCounts } from "../support/click-counts.ts";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { sharedPostgres } from "../support/postgres.ts";
import {
  browser,
  type Environment,
  eventually,
  programCommand,
  serverEnvironment,
  startOn,
  startServer,
  type TestServer,
} from "../support/server.ts";
import { visitUntilStopped } from "../support/visitors.ts";
import { startClickHouse } from "./clickhouse.ts";

const secret = { WAYPOST_SECRET: "a-secret-of-all-nodes-with-32-characters" };
const links = ["a", "b", "c"];

async function expectCounted(server: TestServer, clicks: number): Promise<void> {
  await eventually(
    () => clickCounts(server),
    ({ report, counted }) => report === clicks && counted === clicks,
  );
  const shown = Math.min(clicks, 1_000);
  expect(await clickCounts(server)).toEqual({ report: clicks, counted: clicks, ids: shown, rows: shown });
}

test("a stopped service moves to both engines with one command, and back", async () => {
  const [postgres, clickHouse] = await Promise.all([sharedPostgres(), startClickHouse()]);
  const databaseUrl = await postgres.createDatabase();
  const clicksUrl = await clickHouse.createDatabase();
  let server = await startServer({ ...secret, WAYPOST_CLICKS_URL: "" }, "sqlite");
  const without = server.environment;
  const both = { ...without, WAYPOST_DATABASE_URL: databaseUrl, WAYPOST_CLICKS_URL: clicksUrl };
  const move = (environment: Environment, database: string, clicks: string) =>
    waypost(["migrate", "--to-database", database, "--to-clicks", clicks], { data: server.data, environment });
  try {
    await server.call("POST", "/links", { body: { url: "https://target.example/", key: "a" } });
    for (let visit = 0; visit < 5; visit++) await server.visit("/a", { headers: browser });
    await waitUntilDrained(server);
    const whileRunning = await move(without, databaseUrl, clicksUrl);
    const changed = await server.call("POST", "/links", { body: { url: "https://target.example/", key: "b" } });
    await server.end("SIGTERM");

    const mixed = [await move(without, databaseUrl, "duckdb"), await move(without, databaseUrl, "http://nowhere")];
    const there = await move(without, databaseUrl, clicksUrl);
    server = await server.restart(both);
    await server.visit("/a", { headers: browser });
    await expectCounted(server, 6);
    await waitUntilDrained(server);
    await server.end("SIGTERM");
    mixed.push(await move(both, "sqlite", clicksUrl));
    const back = await move(both, "sqlite", "duckdb");
    server = await server.restart(without);
    await server.visit("/a", { headers: browser });
    await expectCounted(server, 7);

    expect(mixed.map(({ code, stdout }) => [code, stdout])).toEqual(mixed.map(() => [1, ""]));
    expect(whileRunning).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("While Waypost runs") });
    expect(changed.status).toBe(200);
    expect([there.code, back.code]).toEqual([0, 0]);
    expect(there.stdout.trim().split("\n")).toHaveLength(2);
  } finally {
    await server.remove();
    await Promise.all([postgres.stop(), clickHouse.stop()]);
  }
}, 240_000);

test("the way back waits for a node that was killed, whose last clicks nobody knows", async () => {
  const clickHouse = await startClickHouse();
  const environment = { ...secret, WAYPOST_CLICKS_URL: await clickHouse.createDatabase() };
  const server = await startServer(environment, "postgres");
  let other = await startOn(mkdtempSync(join(tmpdir(), "waypost-node-")), programCommand("serve"), server.environment);
  const back = () => waypost(["migrate", "--to-clicks", "duckdb"], server);
  try {
    await server.call("POST", "/links", { body: { url: "https://target.example/", key: "a" } });
    await eventually(
      () => other.visit("/a", { headers: browser }),
      ({ status }) => status === 302,
    );
    await expectCounted(server, 1);
    await other.end("SIGKILL");
    await server.end("SIGTERM");

    const refused = await back();
    other = await other.restart();
    await other.end("SIGTERM");
    const moved = await back();

    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("was not stopped in order") });
    expect(moved).toMatchObject({ code: 0, stdout: `${JSON.stringify({ to: "duckdb", clicks: 1 })}\n` });
  } finally {
    await other.remove();
    await server.remove();
    await clickHouse.stop();
  }
}, 240_000);

test("clicks move to ClickHouse while visitors click, through a killed command and a killed service, and back: each is counted once", async () => {
  const clickHouse = await startClickHouse();
  const url = await clickHouse.createDatabase();
  let server = await startServer({ ...secret, WAYPOST_CLICKS_URL: "" }, "postgres");
  const without = server.environment;
  const withClickHouse = { ...without, WAYPOST_CLICKS_URL: url };
  const options = () => ({ data: server.data, environment: server.environment });
  const move = (to: string) => waypost(["migrate", "--to-clicks", to], options());
  try {
    for (const key of links) await server.call("POST", "/links", { body: { url: "https://target.example/", key } });
    const elsewhere = await move("http://user:password@127.0.0.1:1/waypost");
    let clicks = 0;
    let stop = visitUntilStopped(server, links);
    await Bun.sleep(300);
    const killed = Bun.spawn(programCommand("migrate", "--to-clicks", url), {
      env: serverEnvironment(server.data, server.environment),
      stdout: "ignore",
      stderr: "ignore",
    });
    await eventually(
      async () => existsSync(join(server.data, "clicks.move")),
      (exists) => exists,
    );
    killed.kill("SIGKILL");
    await killed.exited;
    clicks += await stop();
    await server.end("SIGKILL");
    const early = await waypost(["serve"], { ...options(), environment: withClickHouse });
    server = await server.restart();
    stop = visitUntilStopped(server, links);
    const moved = await move(url);
    clicks += await stop();
    await expectCounted(server, clicks);
    await server.end("SIGTERM");

    server = await server.restart(withClickHouse);
    stop = visitUntilStopped(server, links);
    await Bun.sleep(300);
    clicks += await stop();

    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining("127.0.0.1:1 cannot be used") });
    expect(early).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("WAYPOST_CLICKS_URL: not all clicks of"),
    });
    expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining("All counts are equal.") });
    await expectCounted(server, clicks);
    expect(server.output()).not.toContain("missing");
    const running = await move("duckdb");
    await waitUntilDrained(server);
    await server.end("SIGTERM");
    const back = await move("duckdb");
    const again = await move("duckdb");
    server = await server.restart(without);
    await expectCounted(server, clicks);
    await server.visit("/a", { headers: browser });
    await expectCounted(server, clicks + 1);

    // The file of the first move is not overwritten.
    const other = await clickHouse.createDatabase();
    const kept = await move(other);
    rmSync(join(server.data, "clicks.duckdb.moved"));
    const second = await move(other);
    await server.end("SIGTERM");
    const formerStore = await waypost(["serve"], { ...options(), environment: withClickHouse });
    server = await server.restart({ ...without, WAYPOST_CLICKS_URL: other });
    await expectCounted(server, clicks + 1);

    expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining("clicks.duckdb.moved exists") });
    expect(second).toMatchObject({ code: 0 });
    expect(formerStore).toMatchObject({ code: 1, stderr: expect.stringContaining("WAYPOST_CLICKS_URL") });
    expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining("Stop Waypost (process ") });
    expect(back).toMatchObject({ code: 0, stdout: `${JSON.stringify({ to: "duckdb", clicks })}\n` });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists") });
    expect(server.output()).not.toContain("missing");
  } finally {
    await server.remove();
    await clickHouse.stop();
  }
}, 240_000);
