/** The retention of clicks on a real server: the removed and the kept parts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { randomClicks, seededRandom } from "./support/clicks.ts";
import { eventually, startServer, type TestServer } from "./support/server.ts";
import { addLink } from "./support/short-domains.ts";
import { storeClicks } from "./support/store-clicks.ts";
import { newMember } from "./support/tenants.ts";

const dayMs = 86_400_000;
const Report = z.object({ clicks: z.int(), data: z.array(z.object({ clicks: z.int() })) });
const Details = z.object({ id: z.int(), clickRetentionDays: z.int().nullable() });

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

const change = async (body: object, key?: string) =>
  await server.call("PATCH", "/workspaces/1", { body, ...(key === undefined ? {} : { key }) });

test("owners set clickRetentionDays, and lists do not contain it", async () => {
  const member = await newMember(server, 1, "member");

  for (const clickRetentionDays of [0, -1, 1.5, 3_651, "30", true]) {
    const { status, body } = await change({ clickRetentionDays });
    expect({ clickRetentionDays, status }).toEqual({ clickRetentionDays, status: 422 });
    expect(JSON.stringify(body)).toContain(
      "clickRetentionDays: must be a whole number of days from 1 to 3650, or null",
    );
  }
  expect((await change({ clickRetentionDays: 30 }, member.apiKey)).status).toBe(403);
  expect((await change({ name: "Acme" }, member.apiKey)).status).toBe(200);
  expect(Details.parse((await change({ clickRetentionDays: 3_650 })).body).clickRetentionDays).toBe(3_650);
  expect(Details.parse((await server.call("GET", "/workspaces/1")).body).clickRetentionDays).toBe(3_650);
  expect(Details.parse((await change({ clickRetentionDays: null })).body).clickRetentionDays).toBe(null);
  expect(JSON.stringify((await server.call("GET", "/workspaces")).body)).not.toContain("clickRetentionDays");
});

test("older clicks lose their details, and still count", async () => {
  const { id } = await addLink(server, { url: "https://example.com/" });
  const now = Date.now();
  const of = { workspaceId: 1, linkId: id, bot: "" } as const;
  const old = randomClicks(seededRandom(1), 300, { from: now - 60 * dayMs, to: now - 40 * dayMs }, of);
  const fresh = randomClicks(seededRandom(2), 200, { from: now - 20 * dayMs, to: now - dayMs }, of);
  server = await storeClicks(server, [...old, ...fresh]);
  const report = async (groupBy: string) => {
    const path = `/analytics/clicks?linkId=${id}&interval=all&groupBy=${groupBy}`;
    const { clicks, data } = Report.parse((await server.call("GET", path)).body);
    return { clicks, rows: data.reduce((sum, row) => sum + row.clicks, 0) };
  };
  expect(await report("country")).toEqual({ clicks: 500, rows: 500 });

  await change({ clickRetentionDays: 30 });
  // Runs within the hour, and at each start.
  server = await server.restart();
  await eventually(
    () => report("country"),
    ({ rows }) => rows === 200,
  );

  expect((await report("count")).clicks).toBe(500);
  const { body } = await server.call("GET", `/events?linkId=${id}&interval=all&limit=1000`);
  expect(z.array(z.unknown()).parse(body)).toHaveLength(200);
});
