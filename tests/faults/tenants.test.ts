/** Tenants of one server beside each other: what one of them asks for takes nothing from another. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { randomClicks, seededRandom } from "../support/clicks.ts";
import { LiveReader } from "../support/live-reader.ts";
import { eventually, startServer, type TestServer } from "../support/server.ts";
import { newTenant, type Tenant } from "../support/tenants.ts";
import { askUnread, type Unread } from "../support/unread.ts";

const manyClicks = 120_000;
const generousMs = 120_000;
const reports = 12;
const streamsPerUser = 30;
const exportsPerUser = 2;

let server: TestServer;
let large: Tenant;
let small: Tenant;

beforeAll(async () => {
  const first = await startServer();
  [large, small] = [await newTenant(first), await newTenant(first)];
  await first.end("SIGTERM");
  const store = await openDuckDbStore({ path: join(first.data, "clicks.duckdb"), threads: 1 });
  const random = seededRandom(20261123);
  const june = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 5, 4) };
  const [ofLarge, ofSmall] = [large, small].map(({ workspaceId }, index) =>
    randomClicks(random, index === 0 ? manyClicks : 100, june, { workspaceId, bot: "" }),
  );
  await store.insert({ spoolId: "made", from: 0, to: 1 }, ofLarge ?? []);
  await store.insert({ spoolId: "made", from: 1, to: 2 }, ofSmall ?? []);
  await store.close();
  server = await first.restart();
}, generousMs);
afterAll(() => server.remove());

const june = "start=2026-06-01&end=2026-06-04";

function get(path: string, { apiKey }: Tenant): Promise<Response> {
  return fetch(`${server.url}/v1${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
}

test(
  "a small report is answered before most of twelve visitor reports of another tenant that came first",
  async () => {
    let answered = 0;
    const all = Array.from({ length: reports }, async () => {
      const response = await get(`/analytics?groupBy=referer_urls&metric=visitors&${june}`, large);
      await response.arrayBuffer();
      answered++;
      return response.status;
    });

    const response = await get(`/analytics?groupBy=count&${june}`, small);
    const before = answered;

    expect(await response.json()).toMatchObject({ clicks: 100 });
    expect(before).toBeLessThan(reports / 2);
    expect(await Promise.all(all)).toEqual(Array(reports).fill(200));
  },
  generousMs,
);

test(
  "a user who has taken all streams they may leaves streams to another user",
  async () => {
    const taken = await Promise.all(
      Array.from({ length: streamsPerUser }, () => LiveReader.open(server.url, { key: large.apiKey })),
    );
    const refused = await LiveReader.open(server.url, { key: large.apiKey });
    const other = await LiveReader.open(server.url, { key: small.apiKey });

    expect(taken.map(({ status }) => status)).toEqual(Array(streamsPerUser).fill(200));
    expect([refused.status, other.status]).toEqual([429, 200]);
    for (const reader of [...taken, other]) await reader.kill();
  },
  generousMs,
);

describe("a user whose exports are not read", () => {
  const files = async () => readdirSync(join(server.data, "exports")).length;
  const unread = ({ apiKey }: Tenant) => askUnread(server.url, `/events/export?${june}&format=jsonl`, apiKey);

  test(
    "leaves exports to another user",
    async () => {
      const taken: Unread[] = [];
      while (taken.length < exportsPerUser) taken.push(await unread(large));

      const refused = await get(`/events/export?${june}`, large);
      const other = await get(`/events/export?${june}`, small);

      expect(taken.map(({ status }) => status)).toEqual([200, 200]);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
      expect([other.status, (await other.text()).split("\r\n").length]).toEqual([200, 100 + 2]);
      for (const { leave } of taken) leave();
      await eventually(files, (count) => count === 0, generousMs);
    },
    generousMs,
  );

  test(
    "holds no more of the disk than half of what exports may",
    async () => {
      // By the estimate of their bytes, half of it has room for one export, not for two.
      const bytesMax = 3 * manyClicks * 1_200;
      server = await server.restart({ WAYPOST_EXPORTS_MAX_BYTES: String(bytesMax) });
      const first = await unread(large);

      const second = await unread(large);

      expect([first.status, second.status]).toEqual([200, 429]);
      for (const { leave } of [first, second]) leave();
      await eventually(files, (count) => count === 0, generousMs);
    },
    generousMs,
  );
});
