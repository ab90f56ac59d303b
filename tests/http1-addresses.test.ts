/**
 * The visitor's address of a click: answered at the connection or by the HTTP server, even if the client disconnects.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { expectClicks, outcomeOf, unusualConnectionField, visitOf } from "./support/http1-clients.ts";
import { askRaw } from "./support/raw-connection.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { addLink } from "./support/short-domains.ts";

/** In the USA; the country of the connections' addresses is unknown. */
const forwarded = "X-Forwarded-For: 198.41.0.4\r\n";
const proxy = "127.0.0.2";
/** The address of the listener's connections to the HTTP server; an operator's proxy may have the same. */
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
  ["an unusual visit", unusualConnectionField],
];
for (const [way, lines] of ways) {
  test(`the X-Forwarded-For of a trusted proxy is used in ${way}, and that of other clients is not`, async () => {
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

  // Its connection may be gone when the request is handled; its clicks may or may not count.
  test(`a client that disconnects at once cannot claim another address in ${way}`, async () => {
    const { id } = await newLink(`left-${lines.length}`);
    const bytes = visitOf(`/left-${lines.length}`, forwarded + lines);
    const hasPassed = await askRaw(server.url, visitOf(`/left-${lines.length}`), { localAddress: visitor });

    for (let round = 0; round < 40; round++) await leave(bytes, round % 2 === 0 ? "end" : "reset");

    expect(outcomeOf(hasPassed)).toBe("302 https://example.com/");
    const last = await askRaw(server.url, visitOf(`/left-${lines.length}`), { localAddress: visitor });
    expect(outcomeOf(last)).toBe("302 https://example.com/");
    expect(await expectClicks(server, id, "any")).not.toHaveProperty("US");
  });
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
