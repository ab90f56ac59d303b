/** Exports of clicks through HTTP, from the public port. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { isoTime } from "../src/base/time.ts";
import { exportFormats } from "../src/clicks/export.ts";
import { openDuckDbStore } from "../src/clicks/stores/duckdb/duckdb-store.ts";
import { randomClicks, seededRandom } from "./support/clicks.ts";
import { type ExportedClick, readExport } from "./support/exported-clicks.ts";
import { compileFaults } from "./support/failing-writes.ts";
import { expectRefusal } from "./support/requests.ts";
import { eventually, ownerKey, startServer, type TestServer } from "./support/server.ts";
import { newTenant } from "./support/tenants.ts";

const authorization = { Authorization: `Bearer ${ownerKey}` };
/** In a separate workspace: far more than all buffers between the store and a client hold. */
const manyClicks = 80_000;
const generousMs = 60_000;
const inputOutputError = 5;

/** TABLE of parameters for both lists and exports. */
const questions = [
  "interval=30d",
  "interval=90d&bots=include",
  "interval=all&bots=only&device=Mobile",
  "start=2026-06-02&end=2026-06-03&bots=include&country=DE,US",
  "start=2026-06-01&utm_source=-plain&trigger=qr&referer=(direct)",
  "start=2026-06-01&domain=localhost&city=Unknown&timezone=America/New_York",
  "start=2026-06-01&country=AQ",
];

const Events = z.array(
  z.object({
    click: z.object({
      ...{ id: z.string(), timestamp: z.string(), url: z.string(), region: z.string(), referer: z.string() },
      ...{ refererUrl: z.string(), trigger: z.string(), qr: z.boolean(), bot: z.string().nullable() },
    }),
    ...{ link_id: z.string(), domain: z.string(), key: z.string(), continent: z.string(), country: z.string() },
    ...{ city: z.string(), device: z.string(), browser: z.string(), os: z.string() },
  }),
);

let server: TestServer;
let manyKey = "";

beforeAll(async () => {
  const first = await startServer();
  const { apiKey, workspaceId: manyId } = await newTenant(first);
  manyKey = apiKey;
  const [domain] = z.array(z.object({ id: z.string() })).parse((await first.call("GET", "/domains")).body);
  await first.end("SIGTERM");
  const store = await openDuckDbStore({ path: join(first.data, "clicks.duckdb"), threads: 1 });
  const random = seededRandom(20261123);
  const june = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 5, 4) };
  const own = [
    ...randomClicks(random, 900, june, { workspaceId: 1 }),
    ...randomClicks(random, 600, { from: Date.now() - 20 * 86_400_000, to: Date.now() }, { workspaceId: 1 }),
  ].map((click) => (click.domainId === "dom_a" ? { ...click, domainId: domain?.id ?? "" } : click));
  await store.insert({ spoolId: "made", from: 0, to: 1 }, own);
  const many = randomClicks(random, manyClicks, june, { workspaceId: manyId, bot: "" });
  await store.insert({ spoolId: "made", from: 1, to: 2 }, many);
  await store.close();
  server = await first.restart();
}, generousMs);
afterAll(() => server.remove());

function ask(query: string, { method = "GET", key = ownerKey, headers = {} } = {}): Promise<Response> {
  return fetch(`${server.url}/v1/events/export?${query}`, {
    method,
    headers: { ...(key === "" ? {} : { Authorization: `Bearer ${key}` }), ...headers },
  });
}

/** All events of GET /v1/events, in the form of an export. */
async function listEvents(query: string): Promise<ExportedClick[]> {
  const clicks: ExportedClick[] = [];
  for (let page = 1; ; page++) {
    const answer = await server.call("GET", `/events?${query}&limit=1000&page=${page}`);
    const events = Events.parse(answer.body);
    clicks.push(
      ...events.map(({ click, link_id: linkId, ...event }) => ({ ...unlabelled({ ...event, ...click }), linkId })),
    );
    if (events.length < 1_000) return clicks.sort((one, other) => (String(one["id"]) < String(other["id"]) ? -1 : 1));
  }
}

function unlabelled(fields: ExportedClick): ExportedClick {
  const isNone = (value: unknown) => value === "Unknown" || value === "(direct)";
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isNone(value) ? null : value]));
}

describe.each([...exportFormats])("as %s", (format) => {
  test.each(questions)("an export has the clicks that are listed for %s", async (question) => {
    const response = await ask(`${question}&format=${format}`);
    const path = join(server.data, `export.${format}`);
    await Bun.write(path, await response.arrayBuffer());

    const clicks = await readExport(format, path);
    const expected = await listEvents(question);
    const shown = clicks.map(({ language: _, visitor: __, ...click }) =>
      Object.fromEntries(Object.entries(click).filter(([name]) => !name.startsWith("utm_"))),
    );
    expect(shown).toEqual(expected);
    expect(response.headers.get("x-clicks")).toBe(String(expected.length));
  });

  test("an export has headers that describe it, also for HEAD", async () => {
    const types = {
      ...{ csv: "text/csv; charset=utf-8; header=present", jsonl: "application/jsonl" },
      parquet: "application/vnd.apache.parquet",
    };
    for (const method of ["GET", "HEAD"]) {
      const response = await ask(`format=${format}&start=2026-06-01&end=2026-06-03`, {
        method,
        headers: { "Accept-Encoding": "br, gzip" },
      });
      await response.arrayBuffer();

      expect({ method, status: response.status }).toEqual({ method, status: 200 });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": types[format],
        "content-disposition": `attachment; filename="clicks-2026-06-01-to-2026-06-03.${format}"`,
        "cache-control": "private, no-store",
        "transfer-encoding": "chunked",
      });
      expect(response.headers.get("content-encoding")).toBeNull();
    }
  });
});

test("an export is CSV by default", async () => {
  const text = await (await ask("start=2026-06-01&country=AQ")).text();

  expect(text).toMatch(/^id,timestamp,linkId,domain,key,url,[\w,]+\r\n$/);
});

test("malformed requests are refused, and create no file", async () => {
  const cases: [string, { method?: string; key?: string }, number][] = [
    ["format=xml", {}, 422],
    ["event=leads", {}, 422],
    ["country=", {}, 422],
    ["start=2026-06-03T10:00Z&end=2026-06-03T10:00Z", {}, 422],
    ["linkId=link_none", {}, 404],
    ["workspaceId=999999", {}, 404],
    ["", { key: "" }, 401],
    ["", { key: "wp_nothing" }, 401],
  ];
  // Files of earlier exports are removed soon after their ends.
  const files = () => readdirSync(join(server.data, "exports"));
  await eventually(
    async () => files(),
    (names) => names.length === 0,
  );
  for (const [query, options, status] of cases) {
    const {
      status: answered,
      headers,
      ...response
    } = await ask(query, options).then(async (received) => ({
      ...{ status: received.status, headers: received.headers, text: await received.text() },
    }));
    const head = await ask(query, { ...options, method: "HEAD" });

    expectRefusal(query, { status: answered, headers, ...response }, [status]);
    expect([query, head.status]).toEqual([query, status]);
  }
  expect((await ask("", { method: "POST" })).status).toBe(405);
  expect(files()).toEqual([]);
});

test("a key without analytics.read cannot export, and another workspace's export has none of our clicks", async () => {
  const created = await server.call("POST", "/api-keys", { body: { name: "links", scopes: ["links.read"] } });
  const { key } = z.object({ key: z.string() }).parse(created.body);
  const stranger = await newTenant(server);

  const forbidden = await ask("", { key });
  const empty = await ask("interval=all&bots=include&format=jsonl", { key: stranger.apiKey });

  expect(forbidden.status).toBe(403);
  expect([empty.status, await empty.text()]).toEqual([200, ""]);
});

describe("an export that is larger than all buffers", () => {
  const query = "start=2026-06-01&end=2026-06-04";

  test("arrives completely, and leaves nothing on the disk", async () => {
    const response = await ask(query, { key: manyKey });
    const text = await response.text();

    expect(text.match(/\r\n[0-9a-f]{8}-/g)?.length).toBe(manyClicks);
    expect(response.headers.get("x-clicks")).toBe(String(manyClicks));
    await expectNoFiles();
  });

  test("is cancelled when its client disconnects, and its file is removed", async () => {
    const before = await outcomes();
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/v1/events/export?${query}`, {
      headers: { Authorization: `Bearer ${manyKey}` },
      signal: leaving.signal,
    });
    await response.body?.getReader().read();

    leaving.abort();

    await eventually(outcomes, ({ left }) => left === before.left + 1, generousMs);
    await expectNoFiles();
  });

  test(
    "ends without its last chunk when the service stops in the middle, so that it never seems complete",
    async () => {
      const address = new URL(server.url);
      const bytes: Buffer[] = [];
      const client = connect(Number(address.port), address.hostname);
      const ended = new Promise<void>((resolve) => client.on("close", () => resolve()).on("error", () => {}));
      const started = new Promise<void>((resolve) => client.once("readable", () => resolve()));
      client.write(`GET /v1/events/export?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${manyKey}\r\n\r\n`);
      await started;

      const stopped = server.end("SIGTERM");
      await stopped;
      client.on("data", (part: Buffer) => bytes.push(part));
      await ended;
      server = await server.restart();

      const answer = Buffer.concat(bytes).toString("latin1");
      expect(answer).toStartWith("HTTP/1.1 200");
      expect(answer).not.toEndWith("0\r\n\r\n");
      await expectNoFiles();
    },
    generousMs,
  );
});

/**
 * Requests an export as an HTTP/1.0 client, such as nginx with its default settings; returns head and body. Calls
 * `onStart` once the first bytes have arrived, and before it reads them.
 */
async function askHttp10(query: string, onStart: () => Promise<unknown> = async () => {}): Promise<[string, Buffer]> {
  const { port, hostname } = new URL(server.url);
  const bytes: Buffer[] = [];
  const client = connect(Number(port), hostname);
  const ended = new Promise<void>((resolve) => client.on("close", () => resolve()).on("error", () => {}));
  const isAnswered = new Promise<void>((resolve) => client.once("readable", () => resolve()));
  client.write(`GET /v1/events/export?${query} HTTP/1.0\r\nAuthorization: Bearer ${manyKey}\r\n\r\n`);
  await Promise.race([isAnswered, ended]);
  await onStart();
  client.on("data", (part: Buffer) => bytes.push(part));
  await ended;
  const all = Buffer.concat(bytes);
  const headEnd = all.indexOf("\r\n\r\n") + 4;
  return [all.subarray(0, headEnd).toString("latin1"), all.subarray(headEnd)];
}

const lengthIn = (head: string) => Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1]);

describe("to an HTTP/1.0 client", () => {
  const query = "start=2026-06-01&end=2026-06-04&bots=include&format=jsonl";

  test.each([0, 1])(
    "an export has its length, with %d redirect workers",
    async (workers) => {
      if (workers > 0) server = await server.restart({ WAYPOST_WORKERS: String(workers) });
      const chunked = Buffer.from(await (await ask(query, { key: manyKey })).arrayBuffer());

      const [head, body] = await askHttp10(query);

      expect(head).toMatch(/^HTTP\/1\.[01] 200/);
      expect(head).not.toMatch(/transfer-encoding|waypost-content-length/i);
      expect([lengthIn(head), body.length]).toEqual([chunked.length, chunked.length]);
      expect(sorted(body.toString())).toEqual(sorted(chunked.toString()));
      await expectNoFiles();
      if (workers > 0) server = await server.restart({});
    },
    generousMs,
  );

  test(
    "an export that is cut off is shorter than its length",
    async () => {
      const [head, body] = await askHttp10(query, () => server.end("SIGTERM"));
      server = await server.restart();

      expect(lengthIn(head)).toBeGreaterThan(10_000_000);
      expect(body.length).toBeLessThan(lengthIn(head));
      await expectNoFiles();
    },
    generousMs,
  );
});

describe("an export that fails", () => {
  test(
    "before its first byte is refused with 503",
    async () => {
      const tools = mkdtempSync(join(tmpdir(), "waypost-export-"));
      const library = compileFaults(tools);
      if (library.kind === "refused") {
        console.info(`This machine cannot simulate a disk fault: ${library.reason}`);
        return;
      }
      const failing = library.below(join(server.data, "exports"));
      server = await server.restart(failing.environment);

      failing.begin(inputOutputError, 1_000);
      const refused = await ask("start=2026-06-01&end=2026-06-04&bots=include&format=parquet");
      failing.end();
      const complete = await ask("start=2026-06-01&end=2026-06-04&bots=include&format=parquet");

      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ error: { code: "unavailable" } });
      expect(complete.status).toBe(200);
      await complete.arrayBuffer();
      server = await server.restart({});
      rmSync(tools, { recursive: true });
    },
    generousMs,
  );

  test(
    "after its first byte makes curl exit with its code for a partial response",
    async () => {
      const curl = Bun.which("curl");
      if (curl === null) {
        console.info("This machine has no curl.");
        return;
      }
      const path = join(server.data, "cut-off.csv");
      const args = ["--silent", "--limit-rate", "10M", "--output", path, "-H", `Authorization: Bearer ${manyKey}`];
      const client = Bun.spawn([curl, ...args, `${server.url}/v1/events/export?start=2026-06-01&end=2026-06-04`]);
      await eventually(
        async () => existsSync(path) && statSync(path).size > 0,
        (hasStarted) => hasStarted,
        generousMs,
      );
      // Paused, so that curl has not received everything before the service stops.
      client.kill("SIGSTOP");

      await server.end("SIGTERM");
      client.kill("SIGCONT");

      const cutOff = 18;
      expect(await client.exited).toBe(cutOff);
      server = await server.restart();
    },
    generousMs,
  );
});

test(
  "a service with redirect workers exports through them",
  async () => {
    const plain = await (await ask("start=2026-06-01&end=2026-06-04&bots=include&format=jsonl")).text();
    server = await server.restart({ WAYPOST_WORKERS: "1" });

    const response = await ask("start=2026-06-01&end=2026-06-04&bots=include&format=jsonl");

    expect(sorted(await response.text())).toEqual(sorted(plain));
    expect(plain).toContain(isoTime(Date.UTC(2026, 5, 2)).slice(0, 10));
  },
  generousMs,
);

function sorted(lines: string): string[] {
  return lines.split("\n").sort();
}

/** The numbers of exports by outcome: complete, cancelled by the client, and failed. */
async function outcomes(): Promise<{ whole: number; left: number; failed: number }> {
  const text = await (await fetch(`${server.url}/metrics`, { headers: authorization })).text();
  const countOf = (outcome: string) =>
    Number(new RegExp(`waypost_exports_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { whole: countOf("whole"), left: countOf("left"), failed: countOf("failed") };
}

async function expectNoFiles(): Promise<void> {
  const files = async () => readdirSync(join(server.data, "exports"));
  await eventually(files, (names) => names.length === 0, generousMs);
}
