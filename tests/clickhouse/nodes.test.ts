import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresClient } from "../../src/database/postgres-client.ts";
import { lockPostgres } from "../../src/database/postgres-lock.ts";
import { sharedPostgres, type TestPostgres } from "../support/postgres.ts";
import { browser, eventually, ownerKey, programCommand, type TestServer } from "../support/server.ts";
import { withDatabase } from "../support/server-database.ts";
import { openClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { type Nodes, withNodesOn } from "./running-nodes.ts";

let postgres: TestPostgres;
let clickHouse: TestClickHouse;
beforeAll(async () => {
  [postgres, clickHouse] = await Promise.all([sharedPostgres(), openClickHouse()]);
});
afterAll(async () => {
  await Promise.all([postgres.stop(), clickHouse.stop()]);
});

async function withNodes(use: (nodes: Nodes) => Promise<void>): Promise<void> {
  await withNodesOn({ postgres, clickHouse }, use);
}

type Listed = { id: string; state: string; leads: boolean; spools: { spoolId: string; waitingBytes: number }[] };

/** Runs a command on a node's data folder, and returns what it prints. */
async function command({ data, environment }: TestServer, ...args: string[]): Promise<string> {
  const running = Bun.spawn(programCommand(...args), {
    env: { ...process.env, ...environment, WAYPOST_DATA: data },
    stdout: "pipe",
    stderr: "pipe",
  });
  const text = await new Response(running.stdout).text();
  if ((await running.exited) !== 0) throw new Error(await new Response(running.stderr).text());
  return text;
}

async function listed(server: TestServer): Promise<Listed[]> {
  return JSON.parse(await command(server, "nodes", "--json"));
}

async function newLink(server: TestServer, key: string): Promise<string> {
  const { body } = await server.call("POST", "/links", { body: { url: "https://target.example/", key } });
  return String(Object(body).id);
}

async function clicksOf(server: TestServer, linkId: string): Promise<unknown> {
  const { body } = await server.call("GET", `/analytics?event=clicks&groupBy=count&linkId=${linkId}&interval=all`);
  return Object(body).clicks;
}

async function visit(server: TestServer, path: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let click = 0; click < count; click++) statuses.push((await server.visit(path, { headers: browser })).status);
  return statuses;
}

describe("nodes on one database", () => {
  test("redirect each other's links at once, count each click once, and one of them leads", () =>
    withNodes(async (nodes) => {
      const [first, second, third] = [await nodes.start(), await nodes.start(), await nodes.start()];
      const all = [first, second, third];
      const id = await newLink(first, "go");

      for (const server of [second, third]) {
        await eventually(
          () => server.visit("/go", { headers: { ...browser, Purpose: "prefetch" } }),
          ({ status }) => status === 302,
        );
      }
      const statuses = (await Promise.all(all.map((server) => visit(server, "/go", 20)))).flat();
      expect([...new Set(statuses)]).toEqual([302]);
      const counts = [];
      for (const server of all)
        counts.push(
          await eventually(
            () => clicksOf(server, id),
            (clicks) => clicks === 60,
          ),
        );
      const nodesListed = await eventually(
        () => listed(second),
        (found) => found.length === 3 && found.some(({ leads }) => leads),
      );

      expect(counts).toEqual([60, 60, 60]);
      expect(nodesListed.map(({ state, leads }) => [state, leads]).sort()).toEqual([
        ["running", false],
        ["running", false],
        ["running", true],
      ]);
      await eventually(
        () => first.call("GET", `/links/${id}`),
        ({ body }) => Object(body).clicks === 60,
      );
    }));

  test("an export from one node has every click that another one has answered", () =>
    withNodes(async (nodes) => {
      const first = await nodes.start(undefined, { WAYPOST_CLICKS_INTERVAL_MS: "3000" });
      const second = await nodes.start();
      await newLink(first, "go");
      await eventually(
        () => listed(first),
        (found) => found.length === 2,
      );

      await visit(first, "/go", 7);
      const response = await fetch(`${second.url}/v1/events/export?interval=24h&format=jsonl`, {
        headers: { Authorization: `Bearer ${ownerKey}` },
      });

      expect([response.status, (await response.text()).trim().split("\n").length]).toEqual([200, 7]);
    }));

  test("continue when the leading node is killed: another one leads, and the first's clicks are counted when it returns", () =>
    withNodes(async (nodes) => {
      const first = await nodes.start();
      const second = await nodes.start();
      const id = await newLink(first, "go");
      await eventually(
        () => listed(first),
        (found) => found.some(({ leads }) => leads),
      );

      await visit(first, "/go", 5);
      await first.end("SIGKILL");
      await visit(second, "/go", 5);
      await eventually(
        () => listed(second),
        (found) => found.some(({ leads, state }) => leads && state === "running"),
      );
      const returned = await first.restart();

      const clicks = await eventually(
        () => clicksOf(second, id),
        (found) => found === 10,
      );
      expect(clicks).toBe(10);
      await returned.remove();
    }));

  test("a copied data folder becomes a new node, which counts none of the copied clicks", () =>
    withNodes(async (nodes) => {
      const first = await nodes.start();
      const id = await newLink(first, "go");
      await visit(first, "/go", 7);
      const copy = mkdtempSync(join(tmpdir(), "waypost-node-"));
      cpSync(first.data, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });

      const second = await nodes.start(copy);
      await visit(second, "/go", 3);

      await eventually(
        () => clicksOf(second, id),
        (found) => found === 10,
      );
      expect(second.output()).toContain(
        "Another process has the id of this node. Waypost checks whether it still runs.",
      );
      expect(second.output()).toContain("The data folder is a copy of that of a running node");
      expect(readdirSync(copy).filter((name) => name.startsWith("spool.copied-"))).toHaveLength(1);
      const ids = (await listed(second)).flatMap(({ spools }) => spools.map(({ spoolId }) => spoolId));
      expect(new Set(ids).size).toBe(2);
    }));

  test("a node whose former session is still open in PostgreSQL waits for its end, and keeps its id and its clicks", () =>
    withNodes(async (nodes) => {
      const other = await nodes.start();
      const first = await nodes.start(undefined, { WAYPOST_CLICKS_INTERVAL_MS: "60000" });
      const id = await newLink(other, "go");
      await eventually(
        () => first.visit("/go", { method: "HEAD" }),
        ({ status }) => status === 302,
      );
      await visit(first, "/go", 6);
      await first.end("SIGKILL");
      const file = join(first.data, "waypost.node");
      const nodeId = readFileSync(file, "utf8").trim();
      // As of a machine that has lost its power: PostgreSQL has not noticed yet.
      const url = nodes.environment["WAYPOST_DATABASE_URL"] ?? "";
      const former = await lockPostgres(url, { kind: "shared", nodeId }, 10_000);
      if (former.kind !== "held") throw new Error("The node still runs.");

      const starting = first.restart(nodes.environment);
      await Bun.sleep(12_000);
      await former.lock.release();
      const again = await starting;

      await eventually(
        () => clicksOf(other, id),
        (clicks) => clicks === 6,
      );
      expect(readFileSync(file, "utf8").trim()).toBe(nodeId);
      expect(readdirSync(first.data).filter((name) => name.startsWith("spool."))).toEqual([]);
      await again.remove();
    }));

  test("show the clicks of all nodes in a live stream of any node", () =>
    withNodes(async (nodes) => {
      const [first, second] = [await nodes.start(), await nodes.start()];
      await newLink(first, "go");
      await eventually(
        () => second.visit("/go", { headers: { ...browser, Purpose: "prefetch" } }),
        ({ status }) => status === 302,
      );
      const stream = await fetch(`${first.url}/v1/events/live`, {
        headers: { Authorization: "Bearer test_owner_key_0123456789_abcdef", Accept: "text/event-stream" },
      });
      const reader = stream.body?.getReader();
      if (reader === undefined) throw new Error("The stream has no body.");

      await visit(second, "/go", 3);

      let text = "";
      while (text.split("\ndata: ").length <= 3) {
        const { value, done } = await reader.read();
        if (done) break;
        text += new TextDecoder().decode(value);
      }
      await reader.cancel();
      expect(
        text
          .split("\ndata: ")
          .slice(1)
          .map((event) => event.includes("target.example")),
      ).toEqual([true, true, true]);
    }));

  test("a dead node's clicks are counted by the node that adopts its spool", () =>
    withNodes(async (nodes) => {
      const first = await nodes.start();
      const slow = await nodes.start(undefined, { WAYPOST_CLICKS_INTERVAL_MS: "60000" });
      const id = await newLink(first, "go");
      await eventually(
        () => slow.visit("/go", { method: "HEAD" }),
        ({ status }) => status === 302,
      );
      await visit(slow, "/go", 9);
      await slow.end("SIGKILL");
      await visit(first, "/go", 4);
      await eventually(
        () => clicksOf(first, id),
        (clicks) => clicks === 4,
      );
      await first.end("SIGTERM");

      const adopted = await command(first, "spool", "adopt", slow.data);
      const again = await first.restart();

      expect(JSON.parse(adopted)).toMatchObject({ copiedTo: join(first.data, "spool", "worker-100") });
      await eventually(
        () => clicksOf(again, id),
        (clicks) => clicks === 13,
      );
      await eventually(
        () => again.call("GET", `/links/${id}`),
        ({ body }) => Object(body).clicks === 13,
      );
      await eventually(
        async () => readdirSync(join(first.data, "spool")).includes("worker-100"),
        (isThere) => !isThere,
      );
      await again.remove();
    }));

  test("a node with another secret does not start", () =>
    withNodes(async (nodes) => {
      await nodes.start();

      const other = nodes.start(undefined, { WAYPOST_SECRET: "another-secret-with-more-than-32-characters" });

      await expect(other).rejects.toThrow("the nodes that share this database have another secret");
    }));
});

test("clicks verify on one node compares the clicks of all nodes while visitors click, and corrects a wrong counter", () =>
  withNodes(async (nodes) => {
    const first = await nodes.start();
    const [quiet] = [await newLink(first, "quiet"), await newLink(first, "busy")];
    const all = [first, await nodes.start()] as const;
    await visit(all[1], "/quiet", 5);
    await eventually(
      () => first.call("GET", `/links/${quiet}`),
      ({ body }) => Object(body).clicks === 5,
    );
    let isClicking = true;
    const clicking = all.map(async (server) => {
      while (isClicking && server.process.exitCode === null) await visit(server, "/busy", 1).catch(() => {});
    });
    const verify = async (...args: string[]) => JSON.parse(await command(first, "clicks", "verify", "--json", ...args));
    try {
      expect(await verify()).toMatchObject({ isComplete: true, differences: 0 });
      await withDatabase(first, ({ db }) =>
        db.updateTable("links").set({ clicks: 7 }).where("id", "=", quiet).where("clicks", "=", 5).execute(),
      );

      expect(await verify("--fix")).toMatchObject({
        ...{ isComplete: true, differences: 1, corrected: 1 },
        linkDifferences: { rows: [{ linkId: quiet, clicks: 7, storedClicks: 5 }] },
      });
      expect(await verify()).toMatchObject({ isComplete: true, differences: 0 });
      // Without a service on this folder, the command knows of the other node too.
      await first.end("SIGTERM");
      expect(await verify()).toMatchObject({ isComplete: true, differences: 0 });
    } finally {
      isClicking = false;
      await Promise.all(clicking);
    }
  }));

test("wrong passwords of a link and at the sign-in count on all nodes together, and never by a readable address", () =>
  withNodes(async (nodes) => {
    const [one, other] = [await nodes.start(), await nodes.start()];
    const door = { url: "https://target.example/", key: "door", password: "right-password" };
    expect(await one.call("POST", "/links", { body: door })).toMatchObject({ status: 200 });
    const heard: string[] = [];
    const client = await openPostgresClient(nodes.environment["WAYPOST_DATABASE_URL"] ?? "");
    client.on("notification", ({ payload = "" }) => heard.push(payload));
    await client.query("listen waypost_attempts");
    const unlock = async (server: TestServer, password: string) =>
      (await server.visit(`/door?pw=${password}`, { headers: browser })).status;
    const signIn = async (server: TestServer) => {
      const body = JSON.stringify({ email: "nobody@waypost.example", password: "a wrong password" });
      const headers = { "Content-Type": "application/json", Origin: server.url };
      return (await fetch(`${server.url}/app/session`, { method: "POST", body, headers })).status;
    };
    await eventually(
      () => unlock(other, "wrong"),
      (status) => status === 200,
    );

    const wrong: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) wrong.push(await unlock(one, `wrong${attempt}`));
    const signIns: number[] = [];
    for (let attempt = 0; attempt < 10; attempt++) signIns.push(await signIn(one));

    expect(
      await eventually(
        () => unlock(other, "right-password"),
        (status) => status === 429,
      ),
    ).toBe(429);
    expect(
      await eventually(
        () => signIn(other),
        (status) => status === 429,
      ),
    ).toBe(429);
    expect(new Set(wrong)).toEqual(new Set([200]));
    expect(new Set(signIns)).toEqual(new Set([401]));
    await eventually(
      async () => heard.length,
      (count) => count >= 20,
    );
    expect(heard.join()).not.toMatch(/127\.0\.0\.1|nobody@/);
    await client.end();
  }));
