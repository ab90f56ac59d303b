/**
 * Removal of clicks on real servers: the numbers are correct after kills, and no file contains the removed clicks.
 */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isMissing } from "../src/base/is-missing.ts";
import { engines } from "./support/databases.ts";
import { browser, eventually, startServer, type TestServer } from "./support/server.ts";
import { addLink } from "./support/short-domains.ts";
import { newTenant } from "./support/tenants.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const Link = z.object({ clicks: z.int(), lastClicked: z.string().nullable() });
const Count = z.object({ clicks: z.int() });
const Purged = z.strictObject({ id: z.string(), purgedUntil: z.iso.datetime(), goneFromDiskBy: z.iso.datetime() });

const servers = new Set<TestServer>();
afterAll(async () => {
  for (const server of servers) await server.remove();
});

/** Restarts the server on the same data. */
async function restart(server: TestServer): Promise<TestServer> {
  servers.delete(server);
  const next = await server.restart();
  servers.add(next);
  return next;
}

async function click(server: TestServer, key: string, times: number): Promise<void> {
  for (let visit = 0; visit < times; visit++) {
    expect((await server.visit(`/${key}`, { headers: browser })).status).toBe(302);
  }
}

async function countOf(server: TestServer, linkId: string): Promise<number> {
  return Count.parse((await server.call("GET", `/analytics/clicks?linkId=${linkId}&interval=all`)).body).clicks;
}

describe.each([...engines])("a link's clicks on %s", (engine) => {
  test("are purged, including clicks still in the spool, and later ones count, also after a kill", async () => {
    let server = await startServer({}, engine);
    servers.add(server);
    const { id, key } = await addLink(server, { url: "https://example.com/purged" });
    const other = await addLink(server, { url: "https://example.com/kept" });
    const counterOf = async (linkId: string) => Link.parse((await server.call("GET", `/links/${linkId}`)).body).clicks;
    await click(server, key, 5);
    await click(server, other.key, 2);

    // The purge follows the visits at once, while their clicks are still in the spool.
    const { body, status } = await server.call("DELETE", `/links/${id}/clicks`);
    await click(server, key, 3);
    await server.end("SIGKILL");
    server = await restart(server);

    expect({ status, id: Purged.parse(body).id }).toEqual({ status: 200, id });
    const read = async () => [await counterOf(id), await countOf(server, id), await counterOf(other.id)];
    expect(await eventually(read, ([counter, count, kept]) => counter === 3 && count === 3 && kept === 2)).toEqual([
      3, 3, 2,
    ]);
    await click(server, other.key, 1);
    await eventually(read, ([, , kept]) => kept === 3);
    expect(await read()).toEqual([3, 3, 3]);
    expect((await server.call("DELETE", `/links/${id}/clicks`)).status).toBe(200);
    const link = Link.parse((await server.call("GET", `/links/${id}`)).body);
    expect(link).toMatchObject({ clicks: 0, lastClicked: null });
    await eventually(
      () => countOf(server, id),
      (count) => count === 0,
    );
  });
});

test("no file contains purged clicks or clicks of a deleted workspace", async () => {
  let server = await startServer();
  servers.add(server);
  const purged = await addLink(server, { url: "https://purged.example/here", key: "purged-key" });
  const kept = await addLink(server, { url: "https://kept.example/here", key: "kept-key" });
  const tenant = await newTenant(server);
  const gone = await addLink(server, { url: "https://gone.example/here", key: "gone-key" }, { key: tenant.apiKey });
  for (const { key } of [purged, kept, gone]) await click(server, key, 1);
  await eventually(
    () => countOf(server, purged.id),
    (count) => count === 1,
  );
  await eventually(
    () => wordsIn(server, ["gone-key"]),
    (found) => found.length === 1,
  );

  await server.call("DELETE", `/links/${purged.id}/clicks`);
  await eventually(
    () => countOf(server, purged.id),
    (count) => count === 0,
  );
  await server.call("DELETE", `/workspaces/${tenant.workspaceId}?confirm=Other`, { key: tenant.apiKey });
  await server.end("SIGTERM");
  // Makes the erasure and the spool look more than an hour old.
  change(server, `update "erasures" set "requestedAt" = "requestedAt" - ${2 * minuteMs}`);
  backdateSpool(server);
  server = await restart(server);
  await eventually(
    async () => rowsOf(server, "erasures"),
    (rows) => rows === 0,
  );
  // A start rewrites the store's file if clicks were erased before. This server may have erased them after its
  // rewrite, so a second start follows.
  await server.end("SIGTERM");
  server = await restart(server);
  await eventually(
    () => wordsIn(server, ["purged", "gone"]),
    (found) => found.length === 0,
  );
  await server.end("SIGTERM");

  expect(await wordsIn(server, ["purged.example", "purged-key", "gone.example", "gone-key"])).toEqual([]);
  expect(await wordsIn(server, ["kept.example", "kept-key"])).toEqual(["kept.example", "kept-key"]);
});

/** Returns the words that occur in the file of the click store or in the spool. */
async function wordsIn({ data }: TestServer, words: readonly string[]): Promise<string[]> {
  const spool = readdirSync(join(data, "spool")).filter((name) => name.endsWith(".spool"));
  const names = readdirSync(data).filter((name) => name.startsWith("clicks.duckdb"));
  const paths = [...names, ...spool.map((name) => join("spool", name))].map((name) => join(data, name));
  const files = paths.flatMap((path) => readIfThere(path) ?? []);
  return words.filter((word) => files.some((bytes) => bytes.includes(word)));
}

/** A file of a running server, which may be deleted after being listed. */
function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function backdateSpool({ data }: TestServer): void {
  const then = new Date(Date.now() - 2 * hourMs);
  for (const name of readdirSync(join(data, "spool"))) utimesSync(join(data, "spool", name), then, then);
}

function change({ data }: TestServer, sql: string): void {
  const db = new Database(join(data, "waypost.sqlite"));
  db.run("PRAGMA busy_timeout = 5000");
  db.run(sql);
  db.close();
}

function rowsOf({ data }: TestServer, table: string): number {
  const db = new Database(join(data, "waypost.sqlite"), { readonly: true });
  const row = z.object({ rows: z.int() }).parse(db.query(`select count(*) as "rows" from "${table}"`).get());
  db.close();
  return row.rows;
}
