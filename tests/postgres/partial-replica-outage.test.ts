/** A node whose copy of the links has no room for all of them, while PostgreSQL is down. */
import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataPaths } from "../../src/data-paths.ts";
import { copyLink } from "../support/links.ts";
import { startPostgres } from "../support/postgres.ts";
import { browser, eventually, programCommand, startOn, type TestServer } from "../support/server.ts";
import { withDatabase } from "../support/server-database.ts";

/** Half of them fit. */
const copies = 6_000;
const [visited, unvisited] = [`copy${copies - 1}`, `copy${copies - 2}`];

async function statusOf(server: TestServer, key: string): Promise<number> {
  return (await server.visit(`/${key}`, { headers: browser })).status;
}

function hasCopied({ data }: TestServer, key: string): boolean {
  const file = new SqliteFile(dataPaths({ WAYPOST_DATA: data }).replica, { readonly: true });
  try {
    return file.query(`SELECT 1 FROM links WHERE "foldedKey" = ?`).all(key).length === 1;
  } finally {
    file.close();
  }
}

test.each([0, 2])(
  "a visited link redirects while PostgreSQL is down, also after a restart, from a node with %d redirect workers whose copy is partial",
  async (workers) => {
    const postgres = await startPostgres();
    const environment = {
      ...{ WAYPOST_DATABASE_URL: await postgres.createDatabase(), WAYPOST_WORKERS: String(workers) },
      ...{ WAYPOST_LOOKUP_MAX_BYTES: String(1024 ** 2) },
    };
    const data = mkdtempSync(join(tmpdir(), "waypost-test-"));
    let server = await startOn(data, programCommand("serve"), environment);
    try {
      const { body } = await server.call("POST", "/links", { body: { url: "https://a.example/", key: "go" } });
      await withDatabase(server, ({ db }) => copyLink(db, String(Object(body).id), copies));
      await server.end("SIGTERM");
      // The node copies all links again, since these were written without events.
      for (const suffix of ["", "-wal", "-shm"])
        rmSync(`${dataPaths({ WAYPOST_DATA: data }).replica}${suffix}`, { force: true });
      server = await server.restart();
      const metric = await eventually(
        async () => await (await fetch(`${server.url}/metrics`)).text(),
        (text) => text.includes("waypost_replica_partial 1"),
      );
      const log = await eventually(
        async () => server.output(),
        (output) => output.includes("copy is partial"),
      );
      const before = [hasCopied(server, visited), await statusOf(server, visited), await statusOf(server, "unknown")];
      await eventually(
        async () => hasCopied(server, visited),
        (isCopied) => isCopied,
      );

      await postgres.interrupt();
      const during = [await statusOf(server, visited), await statusOf(server, unvisited)];
      const ready = (await fetch(`${server.url}/readyz`)).status;
      await server.end("SIGKILL");
      server = await server.restart();
      const restarted = [await statusOf(server, visited), await statusOf(server, unvisited)];
      await postgres.resume();
      const back = await eventually(
        () => statusOf(server, unvisited),
        (status) => status === 302,
      );

      expect(metric).toContain("waypost_replica_partial 1");
      expect(log).toContain("so this node's copy is partial");
      expect(before).toEqual([false, 302, 404]);
      expect([during, ready, restarted, back]).toEqual([[302, 503], 200, [302, 503], 302]);
    } finally {
      await server.remove();
      await postgres.stop();
    }
  },
);
