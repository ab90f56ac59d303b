/** Redirects of more links than the cache holds: from the lookup file, in every process, and never stale. */
import { Database as SqliteFile } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { answeredByWorker, metric } from "../support/counted-once.ts";
import { eventually, startServer, type TestServer } from "../support/server.ts";
import { operate } from "../support/tenants.ts";

/** With the root link and the original, more than the minimum for a lookup file. */
const copies = 50_000;
const visitsOfEach = 20;
/** Takes a second or two on an idle machine. */
const fileMaxMs = 60_000;

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await make("original", "https://example.com/original");
  await server.end("SIGTERM");
  copyOriginal(join(server.data, "waypost.sqlite"));
  server = await server.restart({ WAYPOST_WORKERS: "2" });
});
afterAll(async () => {
  await server.remove();
});

/** Inserts copies of the link "original" with the keys copy1, copy2 ..., faster than the API. */
function copyOriginal(path: string): void {
  const file = new SqliteFile(path);
  const columns = file
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('links') WHERE name <> 'seq'")
    .all()
    .map(({ name }) => `"${name}"`);
  const changed: Record<string, string> = {
    '"id"': `'link_copy' || printf('%022d', number)`,
    '"key"': `'copy' || number`,
    '"foldedKey"': `'copy' || number`,
    '"url"': `'https://example.com/' || number`,
  };
  const values = columns.map((column) => changed[column] ?? column);
  file.run(`WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${copies})
    INSERT INTO links (${columns.join(", ")}) SELECT ${values.join(", ")} FROM links, numbers WHERE key = 'original'`);
  file.close();
}

async function make(key: string, url: string): Promise<string> {
  const { status, body } = await server.call("POST", "/links", { body: { key, url } });
  expect(status).toBe(200);
  return z.object({ id: z.string() }).parse(body).id;
}

/** Returns the destinations of several visits, each on a new connection, so that they spread over the workers. */
async function sentTo(key: string): Promise<Set<string | null>> {
  const visits = Array.from({ length: visitsOfEach }, async () => {
    const response = await server.visit(`/${key}`, { headers: { Connection: "close" } });
    await response.arrayBuffer();
    return response.status === 302 ? response.headers.get("location") : String(response.status);
  });
  return new Set(await Promise.all(visits));
}

/** Waits until the server reports that its file has all links of the start. */
async function untilInFile(): Promise<void> {
  const read = () => metric(server, "waypost_lookup_file_links");
  await eventually(read, ([links]) => links === copies + 2, fileMaxMs);
}

/** The path of a copy in the API. */
function copy(number: number): string {
  return `/links/link_copy${String(number).padStart(22, "0")}`;
}

test("after a lookup file of all links is written, every worker answers links, changed links and unknown keys as before", async () => {
  await untilInFile();

  expect(await sentTo("copy12345")).toEqual(new Set(["https://example.com/12345"]));
  expect(await sentTo("COPY777")).toEqual(new Set(["https://example.com/777"]));
  expect(await sentTo("copy0")).toEqual(new Set(["404"]));

  await server.call("PATCH", copy(12345), { body: { url: "https://example.org/" } });
  expect(await sentTo("copy12345")).toEqual(new Set(["https://example.org/"]));
  await server.call("DELETE", copy(777));
  expect(await sentTo("copy777")).toEqual(new Set(["410"]));
  await make("copy0", "https://example.com/made-later");
  expect(await sentTo("copy0")).toEqual(new Set(["https://example.com/made-later"]));
  await server.call("PATCH", copy(888), { body: { password: "secret" } });
  expect(await sentTo("copy888")).toEqual(new Set(["200"]));
});

test("every worker answers from the lookup file", async () => {
  // Without an event in the outbox, so that no process learns of the change.
  const file = new SqliteFile(join(server.data, "waypost.sqlite"));
  file.run("PRAGMA busy_timeout = 5000");
  file.run("DELETE FROM links WHERE key = 'copy999'");
  file.close();

  const answers = new Set<string | null>();
  await eventually(
    async () => {
      for (const place of await sentTo("copy999")) answers.add(place);
      return await answeredByWorker(server, 2);
    },
    (sent) => Math.min(...sent) > 0,
  );

  expect(answers).toEqual(new Set(["https://example.com/999"]));
});

test("links of the file are blocked and unblocked in every worker", async () => {
  await untilInFile();
  const { id } = z.object({ id: z.string() }).parse((await server.call("GET", "/user")).body);
  const blocks = [
    { kind: "link", target: "link_copy0000000000000000000456" },
    { kind: "host", target: "example.com" },
    { kind: "workspace", target: "1" },
    { kind: "user", target: id },
  ];

  for (const blocked of blocks) {
    expect(await sentTo("copy456")).toEqual(new Set(["https://example.com/456"]));
    await operate(server, "block", { ...blocked, reason: "Phishing" });
    expect([blocked.kind, await sentTo("copy456")]).toEqual([blocked.kind, new Set(["410"])]);
    await operate(server, "unblock", blocked);
  }
  expect(await sentTo("copy456")).toEqual(new Set(["https://example.com/456"]));
  const [links] = await metric(server, "waypost_lookup_file_links");
  expect(links).toBeGreaterThan(copies);
});

test("after a kill, the server uses the same file again, with the later changes", async () => {
  const [name] = readdirSync(join(server.data, "lookup"));
  await server.call("PATCH", copy(4711), { body: { url: "https://example.org/" } });

  server = await server.restart({});

  await untilInFile();
  expect(readdirSync(join(server.data, "lookup"))).toEqual([name ?? ""]);
  expect(await sentTo("copy4711")).toEqual(new Set(["https://example.org/"]));
  expect(await sentTo("copy4712")).toEqual(new Set(["https://example.com/4712"]));
  expect(await sentTo("copy777")).toEqual(new Set(["410"]));
});
