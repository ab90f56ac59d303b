/**
 * Live events on a real server: visitors follow links, and readers of GET /v1/events/live receive each click once,
 * despite failures of their connection, of the server, and of its workers.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { ClickEventSchema } from "../src/api/events.ts";
import { LiveReader } from "./support/live-reader.ts";
import { openRaw } from "./support/raw-connection.ts";
import {
  browser,
  eventually,
  ownerKey,
  startServer,
  type TestServer,
  type TestService,
  withServer,
} from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addLink } from "./support/short-domains.ts";
import { newTenant } from "./support/tenants.ts";

/** An event with exactly the fields that the API describes. */
const Item = z.strictObject(ClickEventSchema.shape);
const Clicked = z.object({ data: z.object({ key: z.string(), click: z.object({ id: z.string(), url: z.url() }) }) });
const Tokens = z.array(Clicked).transform((events) => events.map(({ data }) => Number(tokenOf(data.click.url))));

function tokenOf(url: string): string | null {
  return new URL(url).searchParams.get("t");
}

/** The numbers of the visits whose clicks the reader has received, in their order. */
function tokens({ events }: LiveReader): number[] {
  return Tokens.parse(events);
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Follows a link once for each number, in sequence. */
async function visit(server: TestService, key: string, from: number, to: number, headers = browser): Promise<void> {
  for (const number of numbers(from, to)) {
    const { status } = await server.visit(`/${key}?t=${number}`, { headers });
    expect(status).toBe(302);
  }
}

async function streamsOf(server: TestService): Promise<number> {
  const text = await (await server.visit("/metrics")).text();
  return Number(/^waypost_live_streams (\d+)$/m.exec(text)?.[1]);
}

/** Resolves when the server has noticed the end of earlier tests' streams. */
async function waitUntilNoStreams(server: TestService): Promise<void> {
  await eventually(
    () => streamsOf(server),
    (streams) => streams === 0,
  );
}

function newLink(server: TestService, key: string) {
  return addLink(server, { domain: "localhost", key, url: "https://example.com/" });
}

for (const workers of process.platform === "linux" ? ["0", "1"] : ["0"]) {
  describe(`with ${workers} redirect workers`, () => {
    let server: TestServer;

    beforeAll(async () => {
      server = await startServer({ WAYPOST_WORKERS: workers });
      for (const key of ["plain", "cut", "timed", "slow"]) await newLink(server, key);
    });
    afterAll(() => server.remove());

    test("a click arrives as an item of GET /v1/events, at once and uncompressed", async () => {
      const reader = await LiveReader.open(server.url, { query: "?domain=localhost&key=plain" });
      await reader.ready();

      await visit(server, "plain", 0, 1);
      const [event] = await reader.eventsUpTo(1);

      expect([reader.status, reader.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      expect(reader.headers.has("content-encoding")).toBe(false);
      const { body } = await server.call("GET", "/events?domain=localhost&key=plain");
      const [streamed, listed] = z.tuple([Item, Item]).parse([event?.data, z.array(z.unknown()).parse(body)[0]]);
      expect({ ...streamed, link: streamed.link.id }).toEqual({ ...listed, link: listed.link.id });
      await reader.kill();
    });

    test("a connection that is cut repeatedly resumes without loss or repetition", async () => {
      const clicks = 120;
      let lastEventId = "";
      const received: number[] = [];
      const first = await (await LiveReader.open(server.url, { query: "?domain=localhost&key=cut" })).ready();
      lastEventId = first.lastEventId;
      await first.kill();
      const visiting = visit(server, "cut", 0, clicks);

      while (received.length < clicks) {
        const reader = await LiveReader.open(server.url, { query: "?domain=localhost&key=cut", lastEventId });
        await reader.eventsUpTo(1);
        // Cuts the connection at a random point of the transfer.
        await reader.kill();
        received.push(...tokens(reader));
        lastEventId = reader.lastEventId;
      }
      await visiting;

      expect(received).toEqual(numbers(0, clicks));
    });

    test("clicks arrive one by one, and the delay of each is printed", async () => {
      const reader = await (await LiveReader.open(server.url, { query: "?domain=localhost&key=timed" })).ready();
      const times: number[] = [];
      for (const number of numbers(0, 10)) {
        await visit(server, "timed", number, number + 1);
        const answeredAt = performance.now();
        await reader.eventsUpTo(number + 1);
        times.push((reader.events[number]?.at ?? Number.NaN) - answeredAt);
      }
      await reader.kill();

      // Printed, not asserted: the machine runs other tests too.
      const sorted = times.map(Math.round).toSorted((one, other) => one - other);
      console.log(`From redirect to event, ${workers} workers: ${sorted.join(", ")} ms`);
      expect(tokens(reader)).toEqual(numbers(0, 10));
    });

    test("a reader that disconnects is removed at once, and from the metric", async () => {
      const before = await eventually(
        () => streamsOf(server),
        (count) => count === 0,
      );
      const readers = [await LiveReader.open(server.url), await LiveReader.open(server.url)];

      expect([before, await streamsOf(server)]).toEqual([0, 2]);
      for (const reader of readers) await reader.kill();
      await eventually(
        () => streamsOf(server),
        (count) => count === 0,
      );
    });

    test("a client that reads nothing delays no other client", async () => {
      const slow = await openRaw(server.url);
      slow.socket.pause();
      const authorization = `Authorization: Bearer ${ownerKey}`;
      await slow.send(`GET /v1/events/live HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`);
      const reader = await (await LiveReader.open(server.url, { query: "?domain=localhost&key=slow" })).ready();

      await visit(server, "slow", 0, 200);

      await reader.eventsUpTo(200);
      expect(tokens(reader)).toEqual(numbers(0, 200));
      await reader.kill();
      slow.socket.destroy();
    });
  });
}

describe("access", () => {
  let server: TestService;
  beforeAll(async () => {
    server = await startService();
  });
  afterAll(() => server.remove());

  test("filters, scope and bots work like in the list of events", async () => {
    await newLink(server, "one");
    const { id } = await newLink(server, "two");
    const bot = { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" };
    const queries = [
      `?linkId=${id}`,
      "?browser=firefox",
      "?browser=-firefox",
      "?bots=only",
      "?bots=include&trigger=qr",
    ];
    const readers = await Promise.all(
      queries.map(async (query) => (await LiveReader.open(server.url, { query })).ready()),
    );
    const all = await (await LiveReader.open(server.url, { query: "?bots=include" })).ready();

    await visit(server, "one", 0, 2);
    await visit(server, "two", 2, 4);
    await visit(server, "one", 4, 5, bot);
    await server.visit("/two?t=5&qr=1", { headers: bot });
    await all.eventsUpTo(6);

    await Promise.all(readers.map((reader, index) => reader.eventsUpTo([2, 4, 0, 2, 1][index] ?? 0)));

    expect(Object.fromEntries(readers.map((reader, index) => [queries[index], tokens(reader)]))).toEqual({
      [`?linkId=${id}`]: [2, 3],
      "?browser=firefox": [0, 1, 2, 3],
      "?browser=-firefox": [],
      "?bots=only": [4, 5],
      "?bots=include&trigger=qr": [5],
    });
    for (const reader of [...readers, all]) await reader.kill();
  });

  test("a workspace receives only its own clicks", async () => {
    await newLink(server, "foreign");
    const tenant = await newTenant(server);
    const [own, other] = [
      await (await LiveReader.open(server.url)).ready(),
      await (await LiveReader.open(server.url, { key: tenant.apiKey })).ready(),
    ];

    await visit(server, "foreign", 0, 3);
    await own.eventsUpTo(3);
    // After all clicks are stored, the other workspace still has none.
    const resumed = await LiveReader.open(server.url, { key: tenant.apiKey, lastEventId: own.lastEventId });
    await resumed.until(() => resumed.comments.length > 0);

    expect([own.events.length, other.events, resumed.events]).toEqual([3, [], []]);
    for (const reader of [own, other, resumed]) await reader.kill();
  });

  test("malformed parameters and unknown objects are refused with a hint", async () => {
    const mark = "0f8fad5bd9cb469fa16570867728950e.1";
    await waitUntilNoStreams(server);
    const refusals = await Promise.all([
      server.call("GET", "/events/live", { headers: { "Last-Event-ID": "17" } }),
      server.call("GET", "/events/live?lastEventId=yesterday"),
      server.call("GET", "/events/live?lastEventId=nonsense", { headers: { "Last-Event-ID": `${mark},${mark}` } }),
      server.call("GET", "/events/live?bots=some"),
      server.call("GET", "/events/live?linkId=link_none"),
      server.call("GET", "/events/live", { key: "" }),
    ]);

    expect(refusals.map(({ status, body }) => [status, body])).toEqual(
      [
        [422, "Last-Event-ID: must be an unchanged id of an event"],
        [422, "lastEventId: must be an unchanged id of an event"],
        [422, "Last-Event-ID: must be an unchanged id of an event"],
        [422, "bots: must be one of"],
        [404, "No link"],
        [401, "Send your API key"],
      ].map(([status, message]) => [
        status,
        { error: expect.objectContaining({ message: expect.stringContaining(String(message)) }) },
      ]),
    );
    expect(await streamsOf(server)).toBe(0);
  });

  test("HEAD gets the response of GET, without a stream", async () => {
    await waitUntilNoStreams(server);
    const response = await fetch(`${server.url}/v1/events/live`, {
      method: "HEAD",
      headers: { Authorization: `Bearer ${ownerKey}` },
    });

    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(await streamsOf(server)).toBe(0);
  });

  test("the last event id may be in the query, and the header overrides it", async () => {
    await newLink(server, "marked");
    const reader = await (await LiveReader.open(server.url)).ready();
    const { lastEventId: beginning } = reader;
    await visit(server, "marked", 0, 4);
    const marks = (await reader.eventsUpTo(4)).map(({ id }) => id);
    await reader.kill();

    const byQuery = await LiveReader.open(server.url, { query: `?lastEventId=${beginning}` });
    await byQuery.eventsUpTo(4);
    const byHeader = await LiveReader.open(server.url, {
      query: `?lastEventId=${beginning}`,
      lastEventId: marks[2] ?? "",
    });
    await byHeader.eventsUpTo(1);

    expect([tokens(byQuery), tokens(byHeader)]).toEqual([[0, 1, 2, 3], [3]]);
    for (const resumed of [byQuery, byHeader]) await resumed.kill();
  });

  test("a stream ends soon after its key is revoked, and cannot be resumed with it", async () => {
    const { body } = await server.call("POST", "/api-keys", { body: { name: "Wall", scopes: ["analytics.read"] } });
    const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(body);
    const reader = await (await LiveReader.open(server.url, { key })).ready();

    await server.call("DELETE", `/api-keys/${id}`);
    await reader.ended;

    expect((await LiveReader.open(server.url, { key, lastEventId: reader.lastEventId })).status).toBe(401);
  });
});

describe("when the server stops", () => {
  test("streams end at once, and resume on the next server with all clicks since then", async () => {
    await withServer({}, async (server) => {
      await newLink(server, "hello");
      const reader = await (await LiveReader.open(server.url)).ready();
      await visit(server, "hello", 0, 3);
      await reader.eventsUpTo(3);

      const exit = await server.end("SIGTERM");
      await reader.ended;
      const next = await server.restart();
      await visit(next, "hello", 3, 6);
      const resumed = await LiveReader.open(next.url, { lastEventId: reader.lastEventId });
      await resumed.eventsUpTo(3);

      expect([exit, tokens(reader), tokens(resumed)]).toEqual([0, numbers(0, 3), numbers(3, 6)]);
      await resumed.kill();
      await next.end("SIGTERM");
    });
  });

  test("clicks not stored before a kill are delivered once after the restart", async () => {
    await withServer({}, async (server) => {
      await newLink(server, "hello");
      const reader = await (await LiveReader.open(server.url)).ready();
      await visit(server, "hello", 0, 40);
      await server.end("SIGKILL");
      await reader.ended;

      const next = await server.restart();
      const resumed = await LiveReader.open(next.url, { lastEventId: reader.lastEventId });
      await resumed.eventsUpTo(40 - reader.events.length);

      expect([...tokens(reader), ...tokens(resumed)]).toEqual(numbers(0, 40));
      await resumed.kill();
      await next.end("SIGTERM");
    });
  });
});
