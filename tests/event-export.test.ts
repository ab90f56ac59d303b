/** Exports of clicks through HTTP, from the public port. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isoTime } from "../src/base/time.ts";
import { exportFormats } from "../src/clicks/export.ts";
import { type ExportWorld, exportMsMax, lengthIn, manyClicks, openExportWorld } from "./support/export-world.ts";
import { type ExportedClick, readExport } from "./support/exported-clicks.ts";
import { expectRefusal } from "./support/requests.ts";
import { browser, eventually, ownerKey } from "./support/server.ts";
import { newTenant } from "./support/tenants.ts";

const authorization = { Authorization: `Bearer ${ownerKey}` };

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

let world: ExportWorld;

beforeAll(async () => {
  world = await openExportWorld();
}, exportMsMax);
afterAll(() => world.server.remove());

/** All events of GET /v1/events, in the form of an export. */
async function listEvents(query: string): Promise<ExportedClick[]> {
  const clicks: ExportedClick[] = [];
  for (let page = 1; ; page++) {
    const answer = await world.server.call("GET", `/events?${query}&limit=1000&page=${page}`);
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

test("an export has every click that was answered before it", async () => {
  const created = await world.server.call("POST", "/links", {
    body: { url: "https://target.example/", key: "just-now" },
  });
  for (let click = 0; click < 5; click++) await world.server.visit("/just-now", { headers: browser });

  const response = await world.ask(`linkId=${Object(created.body).id}&interval=24h&format=jsonl`);

  expect((await response.text()).trim().split("\n")).toHaveLength(5);
});

describe.each([...exportFormats])("as %s", (format) => {
  test.each(questions)("an export has the clicks that are listed for %s", async (question) => {
    const response = await world.ask(`${question}&format=${format}`);
    const path = join(world.server.data, `export.${format}`);
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
      const response = await world.ask(`format=${format}&start=2026-06-01&end=2026-06-03`, {
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
  const text = await (await world.ask("start=2026-06-01&country=AQ")).text();

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
  const files = () => readdirSync(join(world.server.data, "exports"));
  await eventually(
    async () => files(),
    (names) => names.length === 0,
  );
  for (const [query, options, status] of cases) {
    const {
      status: answered,
      headers,
      ...response
    } = await world.ask(query, options).then(async (received) => ({
      ...{ status: received.status, headers: received.headers, text: await received.text() },
    }));
    const head = await world.ask(query, { ...options, method: "HEAD" });

    expectRefusal(query, { status: answered, headers, ...response }, [status]);
    expect([query, head.status]).toEqual([query, status]);
  }
  expect((await world.ask("", { method: "POST" })).status).toBe(405);
  expect(files()).toEqual([]);
});

test("a key without analytics.read cannot export, and another workspace's export has none of our clicks", async () => {
  const created = await world.server.call("POST", "/api-keys", { body: { name: "links", scopes: ["links.read"] } });
  const { key } = z.object({ key: z.string() }).parse(created.body);
  const stranger = await newTenant(world.server);

  const forbidden = await world.ask("", { key });
  const empty = await world.ask("interval=all&bots=include&format=jsonl", { key: stranger.apiKey });

  expect(forbidden.status).toBe(403);
  expect([empty.status, await empty.text()]).toEqual([200, ""]);
});

describe("an export that is larger than all buffers", () => {
  const query = "start=2026-06-01&end=2026-06-04";

  test("arrives completely, and leaves nothing on the disk", async () => {
    const response = await world.ask(query, { key: world.manyKey });
    const text = await response.text();

    expect(text.match(/\r\n[0-9a-f]{8}-/g)?.length).toBe(manyClicks);
    expect(response.headers.get("x-clicks")).toBe(String(manyClicks));
    await world.expectNoFiles();
  });

  test("is cancelled when its client disconnects, and its file is removed", async () => {
    const before = await outcomes();
    const leaving = new AbortController();
    const response = await fetch(`${world.server.url}/v1/events/export?${query}`, {
      headers: { Authorization: `Bearer ${world.manyKey}` },
      signal: leaving.signal,
    });
    await response.body?.getReader().read();

    leaving.abort();

    await eventually(outcomes, ({ cancelled }) => cancelled === before.cancelled + 1, exportMsMax);
    await world.expectNoFiles();
  });
});

describe("to an HTTP/1.0 client", () => {
  const query = "start=2026-06-01&end=2026-06-04&bots=include&format=jsonl";

  test.each([0, 1])(
    "an export has its length, with %d redirect workers",
    async (workers) => {
      if (workers > 0) world.server = await world.server.restart({ WAYPOST_WORKERS: String(workers) });
      const chunked = Buffer.from(await (await world.ask(query, { key: world.manyKey })).arrayBuffer());

      const [head, body] = await world.askHttp10(query);

      const about = `${body.subarray(0, 500)}\n${world.server.output().slice(-2_000)}`;
      expect(head, about).toMatch(/^HTTP\/1\.[01] 200/);
      expect(head).not.toMatch(/transfer-encoding|waypost-content-length/i);
      expect([lengthIn(head), body.length]).toEqual([chunked.length, chunked.length]);
      expect(sorted(body.toString())).toEqual(sorted(chunked.toString()));
      await world.expectNoFiles();
      if (workers > 0) world.server = await world.server.restart({});
    },
    exportMsMax,
  );
});

test(
  "a service with redirect workers exports through them",
  async () => {
    const plain = await (await world.ask("start=2026-06-01&end=2026-06-04&bots=include&format=jsonl")).text();
    world.server = await world.server.restart({ WAYPOST_WORKERS: "1" });

    const response = await world.ask("start=2026-06-01&end=2026-06-04&bots=include&format=jsonl");

    expect(sorted(await response.text())).toEqual(sorted(plain));
    expect(plain).toContain(isoTime(Date.UTC(2026, 5, 2)).slice(0, 10));
  },
  exportMsMax,
);

function sorted(lines: string): string[] {
  return lines.split("\n").sort();
}

/** The numbers of exports by outcome: complete, cancelled by the client, and failed. */
async function outcomes(): Promise<{ complete: number; cancelled: number; failed: number }> {
  const text = await (await fetch(`${world.server.url}/metrics`, { headers: authorization })).text();
  const countOf = (outcome: string) =>
    Number(new RegExp(`waypost_exports_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { complete: countOf("complete"), cancelled: countOf("cancelled"), failed: countOf("failed") };
}
