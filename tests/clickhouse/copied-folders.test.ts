/** Nodes on copies of a data folder, such as from an image of a machine. */
import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataPaths } from "../../src/data-paths.ts";
import { isReplicaUsable } from "../../src/redirects/replica/lookup-replica.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { browser, eventually, type TestServer } from "../support/server.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";
import { openClickHouse } from "./clickhouse.ts";
import { withNodesOn } from "./running-nodes.ts";

async function visit(server: TestServer, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let click = 0; click < count; click++) statuses.push((await server.visit("/go", { headers: browser })).status);
  return statuses;
}

test.each([0, 1])(
  "a copy with %d redirect workers that starts without PostgreSQL becomes a new node later, and its clicks are counted once",
  async (workers) => {
    const [postgres, clickHouse] = await Promise.all([sharedPostgres(), openClickHouse()]);
    await withNodesOn({ postgres, clickHouse }, async (nodes) => {
      const options = { WAYPOST_WORKERS: String(workers) };
      const first = await nodes.start(undefined, options);
      const { body } = await first.call("POST", "/links", { body: { url: "https://target.example/", key: "go" } });
      await eventually(
        async () => isReplicaUsable(dataPaths({ WAYPOST_DATA: first.data }).replica),
        (isUsable) => isUsable,
      );
      const statuses = await visit(first, 7);
      const copy = mkdtempSync(join(tmpdir(), "waypost-node-"));
      cpSync(first.data, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });
      const database = new URL(nodes.environment["WAYPOST_DATABASE_URL"] ?? "");
      const proxy = await openTcpProxy(Number(database.port));
      database.port = String(proxy.port);

      proxy.hold();
      const second = await nodes.start(copy, { ...options, WAYPOST_DATABASE_URL: database.href });
      statuses.push(...(await visit(second, 5)));
      proxy.release();
      await eventually(
        async () => {
          statuses.push(...(await visit(second, 1)));
          return (await second.call("GET", "/links")).status;
        },
        (status) => status === 200,
      );
      statuses.push(...(await visit(second, 3)));

      expect(new Set(statuses)).toEqual(new Set([302]));
      const counts = await eventually(
        async () => {
          const id = Object(body).id;
          const report = await first.call("GET", `/analytics?event=clicks&groupBy=count&linkId=${id}&interval=all`);
          const link = await first.call("GET", `/links/${id}`);
          return [Object(report.body).clicks, Object(link.body).clicks];
        },
        (found) => found.every((clicks) => clicks === statuses.length),
      );
      expect(counts).toEqual([statuses.length, statuses.length]);
      expect(second.output()).toContain("The data folder is a copy of that of a running node");
      expect(readdirSync(copy).filter((name) => name.startsWith("spool.copied-"))).toHaveLength(1);
      proxy.close();
    });
    await Promise.all([postgres.stop(), clickHouse.stop()]);
  },
);
