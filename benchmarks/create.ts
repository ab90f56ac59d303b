/**
 * Links created per second through the HTTP API on SQLite with its default durability, one by one and in bulk, by one
 * client and by sixteen, against bare bun:sqlite inserts of the same rows. Then the time to list links and to find one
 * in a workspace with a million.
 *
 *   npm run benchmark:create              everything
 *   npm run benchmark:create -- --quick   short rounds and few links, only to check that it works
 *   npm run benchmark:create -- --profile the server writes a CPU profile into the working directory
 */
import { Database as SqliteFile } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../src/base/ids.ts";
import { openDatabase } from "../src/database/open-database.ts";
import { type LoadResult, median, runLoad } from "./support/load.ts";
import { type BenchmarkServer, cpuSeconds, ownerKey, startWaypost } from "./support/servers.ts";

const isQuick = process.argv.includes("--quick");
const profiling = process.argv.includes("--profile") ? ["--cpu-prof"] : [];
const rounds = isQuick ? 1 : 5;
const roundSeconds = isQuick ? 1 : 4;
const bulkLinks = 100;
const manyClients = 16;
/** Rows per commit of the reference. */
const referenceGroup = 64;
const referenceLinksMax = 50_000;
const storedLinks = isQuick ? 20_000 : 1_000_000;
const latencySeconds = isQuick ? 1 : 6;

type Row = Record<string, string | number | null>;
type Measured = LoadResult & { cpuSeconds: number };
type Subject = { name: string; clients: number; linksPerRequest: number; isAnswered: boolean; results: Measured[] };

const folder = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
try {
  await measureCreation(join(folder, "create"));
  await measureReading(join(folder, "read"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureCreation(data: string): Promise<void> {
  const server = await startWaypost(data, {}, profiling);
  const subjects: Subject[] = [
    { name: "POST /v1/links", clients: 1, linksPerRequest: 1, isAnswered: true, results: [] },
    { name: "POST /v1/links", clients: manyClients, linksPerRequest: 1, isAnswered: true, results: [] },
    { name: "POST /v1/links/bulk", clients: 1, linksPerRequest: bulkLinks, isAnswered: true, results: [] },
    { name: "POST /v1/links/bulk", clients: manyClients, linksPerRequest: bulkLinks, isAnswered: true, results: [] },
  ];
  const bare: number[] = [];
  try {
    for (const subject of subjects) subject.isAnswered = (await create(server, subject, 1)).errors === 0;
    for (let round = 0; round < rounds; round++) {
      for (const subject of subjects) {
        if (subject.isAnswered) subject.results.push(await create(server, subject, roundSeconds));
      }
      bare.push(await insertBare(data, join(folder, `bare${round}.sqlite`)));
    }
  } finally {
    await server.end();
  }
  console.log(`bare bun:sqlite inserts, ${referenceGroup} links to a commit: ${median(bare).toFixed(0)} links/s`);
  for (const subject of subjects) report(subject, bare);
}

async function create(server: BenchmarkServer, subject: Subject, seconds: number): Promise<Measured> {
  const before = cpuSeconds(server.pid);
  const requests = Array.from({ length: subject.linksPerRequest === 1 ? 5_000 : 100 }, () => {
    const links = Array.from({ length: subject.linksPerRequest }, newLink);
    return requestBytes(subject.name, JSON.stringify(subject.linksPerRequest === 1 ? links[0] : links));
  });
  const { port } = server;
  const result = await runLoad({ port, connections: subject.clients, seconds, requests, expected: "HTTP/1.1 200" });
  return { ...result, cpuSeconds: cpuSeconds(server.pid) - before };
}

function report({ name, clients, linksPerRequest, results }: Subject, bare: readonly number[]): void {
  if (results.length === 0) {
    console.log(`${name.padEnd(20)} ${String(clients).padStart(2)} clients: the server rejects the request`);
    return;
  }
  const medianOf = (pick: (one: Measured) => number) => median(results.map(pick));
  const errors = results.reduce((sum, one) => sum + one.errors, 0);
  const linkMicroseconds = medianOf((one) => (one.cpuSeconds / one.requests / linksPerRequest) * 1e6);
  const ratios = results.map((one, round) => (one.perSecond * linksPerRequest) / (bare[round] ?? Number.NaN));
  console.log(
    `${name.padEnd(20)} ${String(clients).padStart(2)} clients` +
      `${(medianOf((one) => one.perSecond) * linksPerRequest).toFixed(0).padStart(8)} links/s` +
      `   ratio ${median(ratios).toFixed(2)}   ${latencies(results)}` +
      `   main thread ${linkMicroseconds.toFixed(0)} µs a link, ` +
      `busy ${(medianOf((one) => one.cpuSeconds / one.seconds) * 100).toFixed(0)} %   wrong answers ${errors}`,
  );
}

function latencies(results: readonly LoadResult[]): string {
  const [p50, p95, p99] = (["p50", "p95", "p99"] as const).map((name) => median(results.map((one) => one[name])));
  return `p50 ${p50?.toFixed(2)} ms   p95 ${p95?.toFixed(2)} ms   p99 ${p99?.toFixed(2)} ms`;
}

function newLink() {
  const page = Math.floor(Math.random() * 1e9);
  return {
    url: `https://shop.example.com/products/${page}?colour=blue&size=42`,
    title: `Product ${page}`,
    utm_source: "newsletter",
    utm_medium: "email",
  };
}

/**
 * Measures bare prepared statements: inserts copies of the server's last links and events into an empty file with the
 * same tables, indexes and triggers, synced at each commit. Returns links per second.
 */
async function insertBare(data: string, path: string): Promise<number> {
  const source = new SqliteFile(join(data, "waypost.sqlite"), { readonly: true });
  const links = source.query<Row, [number]>("SELECT * FROM links ORDER BY id DESC LIMIT ?").all(referenceLinksMax);
  const events = new Map(
    source
      .query<Row, [number]>("SELECT * FROM events WHERE type = 'link.created' ORDER BY id DESC LIMIT ?")
      .all(referenceLinksMax)
      .map((row) => [row["objectId"], row]),
  );
  source.close();
  await (await openDatabase({ kind: "sqlite", path })).close();
  const file = new SqliteFile(path);
  file.run("PRAGMA synchronous = FULL");
  const pairs = links.flatMap((link) => {
    const event = events.get(link["id"] ?? "");
    return event === undefined ? [] : [{ link, event }];
  });
  const insertLink = prepareInsert(file, "links", pairs[0]?.link ?? {});
  const insertEvent = prepareInsert(file, "events", pairs[0]?.event ?? {});
  const insertGroup = file.transaction((group: typeof pairs) => {
    for (const { link, event } of group) {
      insertLink.run(...Object.values(link));
      insertEvent.run(...Object.values(event));
    }
  });
  const startedAt = performance.now();
  for (let start = 0; start < pairs.length; start += referenceGroup) {
    insertGroup.immediate(pairs.slice(start, start + referenceGroup));
  }
  const perSecond = pairs.length / ((performance.now() - startedAt) / 1_000);
  file.close();
  return perSecond;
}

function prepareInsert(file: SqliteFile, table: string, row: Row) {
  const columns = Object.keys(row);
  const names = columns.map((name) => `"${name}"`).join(", ");
  return file.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
}

async function measureReading(data: string): Promise<void> {
  const first = await startWaypost(data);
  await create(first, { name: "POST /v1/links", clients: 1, linksPerRequest: 1, isAnswered: true, results: [] }, 0.1);
  await first.end();
  const { ids, keys } = multiplyLinks(join(data, "waypost.sqlite"));
  const server = await startWaypost(data);
  const randomOf = (values: readonly string[]) => values[Math.floor(Math.random() * values.length)] ?? "";
  /** TABLE of requests by name. */
  const operations: [string, () => string][] = [
    ["list, newest first", () => "/v1/links?pageSize=50"],
    ["list, after a link", () => `/v1/links?pageSize=50&startingAfter=${randomOf(ids)}`],
    ["list, one of 100 pages", () => `/v1/links?pageSize=50&page=${1 + Math.floor(Math.random() * 100)}`],
    ["info, by domain and key", () => `/v1/links/info?domain=localhost&key=${randomOf(keys)}`],
    ["get, by id", () => `/v1/links/${randomOf(ids)}`],
  ];
  console.log(`reading among ${storedLinks} links of one workspace, one client:`);
  try {
    for (const [name, path] of operations) {
      const requests = Array.from({ length: 5_000 }, () => requestBytes(`GET ${path()}`, undefined));
      const load = { port: server.port, connections: 1, requests, expected: "HTTP/1.1 200" };
      await runLoad({ ...load, seconds: 1 });
      const result = await runLoad({ ...load, seconds: latencySeconds });
      console.log(`${name.padEnd(24)} ${latencies([result])}   wrong answers ${result.errors}`);
    }
  } finally {
    await server.end();
  }
}

/** Inserts copies of a link under other keys directly into the file, while no server runs. */
function multiplyLinks(path: string): { ids: string[]; keys: string[] } {
  const file = new SqliteFile(path);
  file.run("PRAGMA synchronous = OFF");
  const { seq: _, ...model } = file.query<Row, []>("SELECT * FROM links WHERE key <> '_root' LIMIT 1").get() ?? {};
  const insert = prepareInsert(file, "links", model);
  const ids: string[] = [];
  const keys: string[] = [];
  file.transaction(() => {
    for (let index = 0; index < storedLinks; index++) {
      const createdAt = Date.UTC(2026, 0, 1) + index * 1_000;
      const { url, title } = newLink();
      const id = newId("link", createdAt);
      const key = `k${index.toString(36)}`;
      insert.run(...Object.values({ ...model, id, key, foldedKey: key, url, title, createdAt, updatedAt: createdAt }));
      if (index % 100 === 0) {
        ids.push(id);
        keys.push(key);
      }
    }
  })();
  file.close();
  return { ids, keys };
}

function requestBytes(methodAndPath: string, body: string | undefined): Buffer {
  const content =
    body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [`${methodAndPath} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${ownerKey}`, ...content];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}
