/** Fairness between tenants of one server: the load of one tenant takes nothing from another. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { randomClicks, seededRandom } from "../support/clicks.ts";
import { LiveReader } from "../support/live-reader.ts";
import { eventually, startServer, type TestServer } from "../support/server.ts";
import { insertClicks } from "../support/store-clicks.ts";
import { newTenant, type Tenant } from "../support/tenants.ts";
import { askUnread, type UnreadResponse } from "../support/unread.ts";

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
  const random = seededRandom(20261123);
  const june = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 5, 4) };
  const batches = [large, small].map(({ workspaceId }, index) =>
    randomClicks(random, index === 0 ? manyClicks : 100, june, { workspaceId, bot: "" }),
  );
  await insertClicks(first.data, ...batches);
  server = await first.restart();
});
afterAll(() => server.remove());

const june = "start=2026-06-01&end=2026-06-04";

function get(path: string, { apiKey }: Tenant): Promise<Response> {
  return fetch(`${server.url}/v1${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
}

test("a small report is answered before most of another tenant's twelve earlier visitor reports", async () => {
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
});

test("a user with the maximum number of live streams does not keep another user from opening one", async () => {
  const opened = await Promise.all(
    Array.from({ length: streamsPerUser }, () => LiveReader.open(server.url, { key: large.apiKey })),
  );
  const refused = await LiveReader.open(server.url, { key: large.apiKey });
  const other = await LiveReader.open(server.url, { key: small.apiKey });

  expect(opened.map(({ status }) => status)).toEqual(Array(streamsPerUser).fill(200));
  expect([refused.status, other.status]).toEqual([429, 200]);
  for (const reader of [...opened, other]) await reader.kill();
});

describe("a user who does not read their exports", () => {
  const files = async () => readdirSync(join(server.data, "exports")).length;
  const unread = ({ apiKey }: Tenant) => askUnread(server.url, `/events/export?${june}&format=jsonl`, apiKey);

  test("leaves exports to another user", async () => {
    const started: UnreadResponse[] = [];
    while (started.length < exportsPerUser) {
      // A user's next export begins when the previous one is written.
      started.push(
        await eventually(
          () => unread(large),
          ({ status }) => status === 200,
          generousMs,
        ),
      );
    }

    const refused = await get(`/events/export?${june}`, large);
    const other = await get(`/events/export?${june}`, small);

    expect(started.map(({ status }) => status)).toEqual([200, 200]);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    expect([other.status, (await other.text()).split("\r\n").length]).toEqual([200, 100 + 2]);
    for (const { disconnect } of started) disconnect();
    await eventually(files, (count) => count === 0, generousMs);
  });

  test("takes at most half of the disk space for exports", async () => {
    // Half of this limit has room for one export by its estimated size, not for another beside its file.
    const bytesMax = 2.2 * manyClicks * 1_200;
    server = await server.restart({ WAYPOST_EXPORTS_MAX_BYTES: String(bytesMax) });
    const first = await unread(large);

    // Until the first export is written, a second one is refused for that reason.
    const messageOf = async () => {
      const response = await get(`/events/export?${june}&format=jsonl`, large);
      if (response.ok) throw new Error("The second export was not refused.");
      return await response.text();
    };
    const second = await eventually(messageOf, (text) => !text.includes("still being written"), generousMs);

    expect(first.status).toBe(200);
    expect(second).toContain("Your exports would use too much");
    first.disconnect();
    await eventually(files, (count) => count === 0, generousMs);
  });
});
