/** Clicks that were removed do not come back from another node. */
import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { dataPaths } from "../../src/data-paths.ts";
import { isReplicaUsable } from "../../src/redirects/replica/lookup-replica.ts";
import { copyLink } from "../support/links.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { browser, type Environment, eventually, programCommand, startOn, type TestServer } from "../support/server.ts";
import { withDatabase } from "../support/server-database.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";
import { createPostgresDatabase } from "../support/templates.ts";
import { newTenant } from "../support/tenants.ts";
import { openClickHouse } from "./clickhouse.ts";

type World = {
  environment: Environment;
  clicksUrl: string;
  start(environment?: Environment): Promise<TestServer>;
  restart(server: TestServer): Promise<TestServer>;
};

/** Nodes that share new databases. */
async function withNodes(use: (world: World) => Promise<void>): Promise<void> {
  const [postgres, clickHouse] = await Promise.all([sharedPostgres(), openClickHouse()]);
  const [databaseUrl, clicksUrl] = await Promise.all([createPostgresDatabase(postgres), clickHouse.createDatabase()]);
  const environment = {
    ...{ WAYPOST_DATABASE_URL: databaseUrl, WAYPOST_CLICKS_URL: clicksUrl, WAYPOST_CLICKS_INTERVAL_MS: "250" },
    WAYPOST_SECRET: "a-secret-of-all-nodes-with-32-characters",
  };
  const servers: TestServer[] = [];
  const start = async (changes: Environment = {}) => {
    const data = mkdtempSync(join(tmpdir(), "waypost-node-"));
    const server = await startOn(data, programCommand("serve"), { ...environment, ...changes });
    servers.push(server);
    return server;
  };
  const restart = async (server: TestServer) => {
    const again = await server.restart();
    servers.push(again);
    return again;
  };
  try {
    await use({ environment, clicksUrl, start, restart });
  } finally {
    for (const server of servers) await server.remove();
    await Promise.all([postgres.stop(), clickHouse.stop()]);
  }
}

async function visit(server: TestServer, path: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let click = 0; click < count; click++) statuses.push((await server.visit(path, { headers: browser })).status);
  return statuses;
}

async function storedClicks(clicksUrl: string): Promise<Record<string, number>> {
  const client = createClient({ url: clicksUrl });
  const query = "SELECT key, count() AS stored FROM clicks WHERE bot = '' GROUP BY key";
  const rows = await (await client.query({ query, format: "JSONEachRow" })).json<{ key: string; stored: number }>();
  await client.close();
  return Object.fromEntries(rows.map(({ key, stored }) => [key, Number(stored)]));
}

test("clicks that a node recorded without PostgreSQL, while others purged their link and erased their workspace, do not come back", () =>
  withNodes(async ({ environment, clicksUrl, start, restart }) => {
    const first = await start();
    const database = new URL(environment.WAYPOST_DATABASE_URL ?? "");
    const proxy = await openTcpProxy(Number(database.port));
    database.port = String(proxy.port);
    let second = await start({ WAYPOST_DATABASE_URL: database.href });
    const link = async (key: string, options = {}) =>
      Object((await first.call("POST", "/links", { body: { url: "https://target.example/", key }, ...options })).body)
        .id;
    const tenant = await newTenant(first);
    const [purged] = [await link("purged"), await link("kept"), await link("erased", { key: tenant.apiKey })];
    for (const key of ["purged", "kept", "erased"]) {
      await eventually(
        () => second.visit(`/${key}`, { headers: { ...browser, Purpose: "prefetch" } }),
        ({ status }) => status === 302,
      );
    }
    await second.end("SIGTERM");
    proxy.hold();
    second = await restart(second);
    const statuses = [...(await visit(second, "/purged", 5)), ...(await visit(second, "/erased", 5))];

    await first.call("DELETE", `/links/${purged}/clicks`);
    await first.call("DELETE", `/workspaces/${tenant.workspaceId}?confirm=Other`, { key: tenant.apiKey });
    await withDatabase(first, async ({ db }) => {
      await eventually(
        () => db.selectFrom("purges").selectAll().executeTakeFirst(),
        (purge) => purge?.isErased === 1,
      );
      await eventually(
        () => db.selectFrom("workspaces").select("id").where("id", "=", tenant.workspaceId).executeTakeFirst(),
        (workspace) => workspace === undefined,
      );
      // As the first node does a minute later: the second one had stopped in order.
      await db.deleteFrom("purges").execute();
      await db.deleteFrom("erasures").execute();
    });
    await visit(second, "/kept", 3);
    proxy.release();

    const stored = await eventually(
      () => storedClicks(clicksUrl),
      ({ kept }) => kept === 3,
    );
    const removed = await withDatabase(first, async ({ db }) =>
      eventually(
        async () => ({
          erasures: await db.selectFrom("erasures").select("workspaceId").execute(),
          purges: await db.selectFrom("purges").select("linkId").execute(),
          counted: await db.selectFrom("links").select("clicks").where("id", "=", String(purged)).execute(),
        }),
        ({ erasures }) => erasures.length === 1,
      ),
    );
    proxy.close();

    expect(new Set(statuses)).toEqual(new Set([302]));
    expect(stored.purged).toBeUndefined();
    expect(removed).toEqual({
      ...{ erasures: [{ workspaceId: tenant.workspaceId }], purges: [{ linkId: purged }], counted: [{ clicks: 0 }] },
    });
  }));

test("removals do not wait for a node whose copy of the links is partial", () =>
  withNodes(async ({ start }) => {
    const first = await start();
    const { body } = await first.call("POST", "/links", { body: { url: "https://target.example/", key: "go" } });
    await withDatabase(first, ({ db }) => copyLink(db, String(Object(body).id), 6_000));
    const second = await start({ WAYPOST_LOOKUP_MAX_BYTES: String(1024 ** 2) });

    const copyAt = await withDatabase(first, async ({ db }) => {
      const copies = () => db.selectFrom("nodes").select("copyAt").execute();
      return await eventually(copies, (nodes) => nodes.length === 2 && nodes.every(({ copyAt }) => copyAt !== null));
    });

    expect(isReplicaUsable(dataPaths({ WAYPOST_DATA: second.data }).replica)).toBe(true);
    expect(copyAt).toHaveLength(2);
  }));
