import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";
import { waypost } from "../support/command.ts";
import { copyAsNextVersion, nextVersion } from "../support/next-version.ts";
import { sharedPostgres, type TestPostgres } from "../support/postgres.ts";
import { eventually, programCommand, startOn, type TestServer } from "../support/server.ts";
import { createPostgresDatabase } from "../support/templates.ts";
import { visitUntilStopped } from "../support/visitors.ts";
import { openClickHouse, type TestClickHouse } from "./clickhouse.ts";

let postgres: TestPostgres;
let clickHouse: TestClickHouse;
const next = copyAsNextVersion();
beforeAll(async () => {
  [postgres, clickHouse] = await Promise.all([sharedPostgres(), openClickHouse()]);
});
afterAll(async () => {
  next.remove();
  await Promise.all([postgres.stop(), clickHouse.stop()]);
});

/** A new folder for a node. */
const folder = () => mkdtempSync(join(tmpdir(), "waypost-version-"));

/** Creates a link on a node, and changes it on the other as soon as that one redirects it. */
async function shareLink(on: TestServer, other: TestServer, key: string): Promise<void> {
  const created = await on.call("POST", "/links", { body: { url: "https://target.example/", key } });
  expect(created.status).toBe(200);
  await eventually(
    () => other.visit(`/${key}`, { headers: { Purpose: "prefetch" } }),
    ({ status }) => status === 302,
  );
  const id = String(Object(created.body).id);
  const changed = await other.call("PATCH", `/links/${id}`, { body: { title: "Changed on the other node" } });
  expect(changed).toMatchObject({ status: 200, body: { title: "Changed on the other node" } });
  expect(Object.keys(Object(changed.body))).not.toContain("addedLater");
}

async function clicksOf(server: TestServer): Promise<unknown> {
  const { body } = await server.call("GET", "/analytics?event=clicks&groupBy=count&interval=all");
  return Object(body).clicks;
}

test("nodes of two versions run together while one after the other is upgraded, and each click is counted once", async () => {
  const environment = {
    WAYPOST_DATABASE_URL: await createPostgresDatabase(postgres),
    WAYPOST_CLICKS_URL: await clickHouse.createDatabase(),
    WAYPOST_SECRET: "a-secret-of-all-nodes-with-32-characters",
  };
  const servers: TestServer[] = [];
  const start = async (command: string[], data = folder()) => {
    const server = await startOn(data, command, environment);
    servers.push(server);
    return server;
  };
  const first = await start(programCommand("serve"));
  let second = await start(programCommand("serve"));
  const spare = folder();
  try {
    await shareLink(first, second, "before");
    const stop = visitUntilStopped(first, ["before"]);
    await second.end("SIGTERM");
    second = await start(next.command("serve"), second.data);

    await shareLink(first, second, "from-old");
    await shareLink(second, first, "from-new");
    const clicks = (await stop()) + (await stopAfter(visitUntilStopped(second, ["from-old"])));
    const listed = await eventually(
      () => waypost(["nodes", "--json"], first),
      ({ stdout }) => versionsOf(stdout).length === 2,
    );
    const late = await waypost(["serve"], { data: spare, environment });
    await first.end("SIGTERM");
    const third = await start(next.command("serve"), first.data);
    await shareLink(second, third, "after");
    const counts = [];
    for (const server of [second, third])
      counts.push(
        await eventually(
          () => clicksOf(server),
          (found) => found === clicks,
        ),
      );
    await third.end("SIGTERM");

    expect(versionsOf(listed.stdout)).toEqual([version, nextVersion]);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining("newer version of Waypost") });
    expect(counts).toEqual([clicks, clicks]);
    expect([first.output(), second.output()].join("")).not.toContain('"level":"error"');
  } finally {
    for (const server of servers) await server.remove();
    rmSync(spare, { recursive: true });
  }
}, 240_000);

async function stopAfter(stop: () => Promise<number>): Promise<number> {
  await Bun.sleep(200);
  return await stop();
}

function versionsOf(text: string): string[] {
  return JSON.parse(text)
    .map((node: { version: string }) => node.version)
    .sort();
}
