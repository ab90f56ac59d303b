/** Whose address a click has: on both ways through the front, and however soon the client leaves. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { expectClicks, generousMs, outcomeOf, unusual, visitOf } from "./support/http1-clients.ts";
import { askRaw } from "./support/raw-connection.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { addLink } from "./support/short-domains.ts";

/** In the USA; what the connections' own addresses are in is unknown. */
const forwarded = "X-Forwarded-For: 198.41.0.4\r\n";
const proxy = "127.0.0.2";
/** The end of the front's own connections to the HTTP server; an operator's proxy may have this address too. */
const ownEnd = "127.0.0.1";
const visitor = "127.0.0.3";

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ WAYPOST_TRUSTED_PROXIES: `${proxy},${ownEnd}` });
});
afterAll(async () => {
  expect(
    server
      .output()
      .split("\n")
      .filter((line) => line.includes(`"level":"error"`))
      .slice(0, 2),
  ).toEqual([]);
  await server.remove();
});

async function newLink(key: string) {
  return await addLink(server, { url: "https://example.com/", domain: "localhost", key });
}

const ways: [string, string][] = [
  ["an ordinary visit", ""],
  ["an unusual one", unusual],
];
for (const [way, lines] of ways) {
  test(`a trusted proxy's X-Forwarded-For is used in ${way}, and another client's is not`, async () => {
    const { id } = await newLink(`believed-${lines.length}`);
    const bytes = visitOf(`/believed-${lines.length}`, forwarded + lines);

    const answers = [
      await askRaw(server.url, bytes, { localAddress: proxy }),
      await askRaw(server.url, bytes, { localAddress: proxy }),
      await askRaw(server.url, bytes, { localAddress: visitor }),
    ];

    expect(answers.map(outcomeOf)).toEqual(answers.map(() => "302 https://example.com/"));
    expect(await expectClicks(server, id, 3)).toEqual({ US: 2, Unknown: 1 });
  });

  // Its connection is gone, here or already in the front, when the request is looked at; the clicks may count or not.
  test(
    `a client that disconnects at once cannot claim an address either, in ${way}`,
    async () => {
      const { id } = await newLink(`left-${lines.length}`);
      const bytes = visitOf(`/left-${lines.length}`, forwarded + lines);
      const hasPassed = await askRaw(server.url, visitOf(`/left-${lines.length}`), { localAddress: visitor });

      for (let round = 0; round < 40; round++) await leave(bytes, round % 2 === 0 ? "end" : "reset");

      expect(outcomeOf(hasPassed)).toBe("302 https://example.com/");
      const last = await askRaw(server.url, visitOf(`/left-${lines.length}`), { localAddress: visitor });
      expect(outcomeOf(last)).toBe("302 https://example.com/");
      expect(await expectClicks(server, id, "any")).not.toHaveProperty("US");
    },
    generousMs,
  );
}

async function leave(bytes: string, how: "end" | "reset"): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const left = Promise.withResolvers<void>();
  const socket = connect({ host: hostname, port: Number(port), localAddress: visitor });
  socket.on("error", () => {});
  socket.on("close", () => left.resolve());
  socket.write(bytes, () => (how === "end" ? socket.destroy() : socket.resetAndDestroy()));
  await left.promise;
}
