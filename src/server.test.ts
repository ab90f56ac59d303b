import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { eventually } from "../tests/support/server.ts";
import { openLog } from "./base/log.ts";
import { listen, type WebServer } from "./server.ts";

const request = "GET /v1/who HTTP/1.1\r\nHost: localhost\r\n\r\n";
const visitorAddress = "127.0.0.9";

// The ports of the HTTP server and of a proxy connection are not published, but a local user can find them by trying.
const serve = spyOn(Bun, "serve");
const proxyTo = spyOn(Bun, "connect");
let server: WebServer;

const handlers: Parameters<WebServer["startAnswering"]>[0] = {
  appUrl: new URL("http://localhost"),
  redirectHandler: {
    answer: () => undefined,
    hsts: async () => undefined,
    domainOf: () => "",
    afterTick: setImmediate,
    onSent() {},
  },
  api: { fetch: async (_, { peer }) => new Response(`peer=${peer};`) },
  site: { fetch: async () => new Response("site") },
};

function listenOnAnyPort(): WebServer {
  return listen({ kind: "ports", port: 0, hostname: "127.0.0.1" }, openLog("error"));
}

beforeAll(() => {
  server = listenOnAnyPort();
  server.startAnswering(handlers);
});
afterAll(async () => {
  await server.close();
  for (const spy of [serve, proxyTo]) spy.mockRestore();
});

/** The port of a server or socket that the runtime has opened; the spies do not know its type. */
function portOf(opened: unknown, name: string): number {
  return Number(Object(opened)[name]);
}

/** The client address that the server reports in its response. */
async function addressSeen(socket: Socket): Promise<string | undefined> {
  socket.write(request);
  for (let text = ""; ; text += String((await once(socket, "data"))[0])) {
    const seen = /peer=(.*);/.exec(text)?.[1];
    if (seen !== undefined) return seen;
  }
}

// A local user cannot bind the proxy connection's own address while it is open, but can bind the same port on
// 127.0.0.2.
test("a local user who connects to the HTTP server from a proxy connection's port does not get the visitor's address", async () => {
  const visitor = connect({ port: server.port, host: "127.0.0.1", localAddress: visitorAddress });
  expect(await addressSeen(visitor)).toBe(visitorAddress);
  const inner = portOf(serve.mock.results[0]?.value, "port");
  const localPort = portOf(await proxyTo.mock.results[0]?.value, "localPort");

  const attacker = connect({
    ...{ port: inner, host: "127.0.0.1" },
    ...{ localAddress: "127.0.0.2", localPort },
  });
  const seen = await addressSeen(attacker);

  expect(localPort).toBeGreaterThan(0);
  expect(attacker.localPort).toBe(localPort);
  expect(seen).toBe("");
  for (const socket of [visitor, attacker]) socket.destroy();
});

test("a request during a start is answered at its end, and a health check at once", async () => {
  const starting = listenOnAnyPort();
  const url = `http://127.0.0.1:${starting.port}`;

  const early = fetch(`${url}/early`);
  const health = await fetch(`${url}/readyz`);
  starting.startAnswering(handlers);
  const answered = await early;
  await starting.close();

  expect(health.status).toBe(503);
  expect({ status: answered.status, text: await answered.text() }).toEqual({ status: 200, text: "site" });
});

test("a request during a start that ends with a stop is answered with 503 at once", async () => {
  const starting = listenOnAnyPort();

  const early = fetch(`http://127.0.0.1:${starting.port}/early`);
  // Its own descriptor, and those of the connection that it is forwarded on.
  await eventually(
    async () => starting.connections().taken,
    (taken) => taken > 1,
  );
  await starting.stop();

  expect((await early).status).toBe(503);
});
