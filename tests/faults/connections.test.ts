/** The public port with many, slow and reset connections, and with connections that are open when the service stops. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { seededRandom } from "../support/clicks.ts";
import { callOf, expectSocketsClosed, openSockets, visitOf } from "../support/http1-clients.ts";
import { Visitors } from "../support/load.ts";
import { askRaw, openRaw, type RawConnection } from "../support/raw-connection.ts";
import { eventually, startServer, type TestServer, usualPasswordCost } from "../support/server.ts";
import { addLink } from "../support/short-domains.ts";
import { storedClicks } from "../support/stored-clicks.ts";

const bundle = "/docs/swagger-ui-bundle.js";
const bundleFile = fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"));

let server: TestServer;

beforeAll(async () => {
  server = await newServer();
});
afterAll(async () => {
  expect(server.output()).not.toContain('"level":"error"');
  await server.remove();
});

async function newServer(): Promise<TestServer> {
  const started = await startServer(usualPasswordCost);
  for (const key of ["here", "there"]) {
    await addLink(started, { url: `https://example.com/${key}`, domain: "localhost", key });
  }
  await addLink(started, { url: "https://example.com/", domain: "localhost", key: "locked", password: "open sesame" });
  return started;
}

async function ask(connection: RawConnection, bytes: string, method = "GET") {
  await connection.send(bytes);
  const [answer] = await connection.answers([method]);
  if (answer === undefined) throw new Error("No answer came.");
  return answer;
}

/** Waits until the server has answered another visitor: the pause of a slow client between two packets. */
async function waitForVisit(): Promise<void> {
  expect((await askRaw(server.url, visitOf("/here"))).status).toBe(302);
}

/** Makes the client read one packet at a time, with a pause after each. */
function readSlowly({ socket }: RawConnection): void {
  socket.on("data", () => {
    socket.pause();
    waitForVisit().then(() => socket.resume());
  });
}

const packetBytes = 32 * 1024;

async function sendSlowly(connection: RawConnection, bytes: string): Promise<void> {
  for (let sent = 0; sent < bytes.length; sent += packetBytes) {
    await connection.send(bytes.slice(sent, sent + packetBytes));
    await waitForVisit();
  }
}

describe("large payloads", () => {
  const bodyBytes = 4 * 1024 ** 2;

  /** A body of exactly 4 MiB, mostly the URLs of its links. */
  function largeBody(name: string) {
    const urls = Array.from({ length: 100 }, (_, index) => {
      const digests = Array.from({ length: 480 }, (_, part) => digestOf(`${name} ${index} ${part}`));
      return `https://example.com/${digests.join("")}`;
    });
    const body = JSON.stringify(urls.map((url) => ({ url, domain: "localhost" })));
    return { urls, body: body.padEnd(bodyBytes, " ") };
  }

  const clients: [string, boolean, boolean][] = [
    ["a quick client", false, false],
    ["a slow writer", true, false],
    ["a slow reader", false, true],
  ];
  for (const [client, isSlowWriter, isSlowReader] of clients) {
    test(`an upload of 4 MiB and its answer are intact with ${client}`, async () => {
      const { urls, body } = largeBody(client);
      const connection = await openRaw(server.url);
      if (isSlowReader) readSlowly(connection);

      const call = callOf("POST", "/links/bulk", body);
      await (isSlowWriter ? sendSlowly(connection, call) : connection.send(call));
      const [answer] = await connection.answers(["POST"]);
      connection.socket.destroy();

      expect(answer?.status).toBe(200);
      const links = z.array(z.object({ url: z.string() })).parse(JSON.parse(String(answer?.body)));
      expect(links.map(({ url }) => url)).toEqual(urls);
    });

    test(`a download is intact with ${client}`, async () => {
      const connection = await openRaw(server.url);
      if (isSlowReader) readSlowly(connection);

      const request = visitOf(bundle);
      for (const part of isSlowWriter ? request : [request]) await connection.send(part);
      const [answer] = await connection.answers(["GET"]);
      connection.socket.destroy();

      expect(digestOf(answer?.body ?? "")).toBe(digestOf(readFileSync(bundleFile)));
    });
  }

  function digestOf(content: string | Buffer): string {
    return createHash("sha256").update(content).digest("hex");
  }
});

describe("a client that resets its connection", () => {
  const upload = callOf("POST", "/links/bulk", JSON.stringify(Array(100).fill({ url: "https://example.com/" })));
  const sendOnly = (bytes: string) => async (connection: RawConnection) => await connection.send(bytes);
  const sendAndReadStart = (bytes: string) => async (connection: RawConnection) => {
    const started = new Promise<void>((resolve) =>
      connection.socket.once("data", () => {
        connection.socket.pause();
        resolve();
      }),
    );
    await connection.send(bytes);
    await started;
  };

  /** TABLE of the points at which the client resets, and a function that reaches each. */
  const points: [string, (connection: RawConnection) => Promise<void>][] = [
    ["before it sends anything", async () => {}],
    ["before its request head is complete", sendOnly(visitOf("/here").slice(0, 30))],
    ["before the head of its API call is complete", sendOnly(upload.slice(0, 60))],
    ["while its visit waits for an answer", sendOnly(visitOf("/locked?pw=open+sesame"))],
    ["while visits wait behind its first", sendOnly(visitOf("/locked?pw=open+sesame") + visitOf("/here").repeat(400))],
    ["while its API call waits for an answer", sendOnly(upload)],
    ["in the middle of the answers to visits", sendAndReadStart(visitOf("/nothing").repeat(2_000))],
    ["in the middle of a download", sendAndReadStart(visitOf(bundle))],
    ["in the middle of an upload", sendOnly(upload.replace(/Content-Length: \d+/, "Content-Length: 4000000"))],
  ];
  for (const [point, reach] of points) {
    for (const hasPause of [true, false]) {
      test(`${point}, ${hasPause ? "after a pause" : "at once"}, leaves no socket open and disturbs no other client`, async () => {
        const visitor = await openRaw(server.url);
        const caller = await openRaw(server.url);
        const askAsOthers = async () => [
          (await ask(visitor, visitOf("/there"))).status,
          (await ask(caller, callOf("GET", "/workspaces"))).status,
        ];
        expect(await askAsOthers()).toEqual([302, 200]);
        const before = openSockets(server);

        for (let round = 0; round < 10; round++) {
          const connection = await openRaw(server.url);
          await reach(connection);
          if (hasPause) await waitForVisit();
          connection.socket.resetAndDestroy();
          expect(await askAsOthers()).toEqual([302, 200]);
        }

        await expectSocketsClosed(server, before);
        expect(await askAsOthers()).toEqual([302, 200]);
        for (const { socket } of [visitor, caller]) socket.destroy();
      });
    }
  }
});

describe("stopping", () => {
  const idleConnections = 2_000;
  const openedAtOnce = 200;

  test("closes 2,000 idle connections without a reset, and exits with 0; until then, visits are answered", async () => {
    const crowded = await newServer();
    const idle: RawConnection[] = [];
    while (idle.length < idleConnections) {
      idle.push(...(await Promise.all(Array.from({ length: openedAtOnce }, (_, index) => keepOpen(crowded, index)))));
    }
    const resets: unknown[] = [];
    for (const { socket } of idle) socket.on("error", (error) => resets.push(error));

    expect((await askRaw(crowded.url, visitOf("/here"))).status).toBe(302);
    const exit = crowded.end("SIGTERM");
    const unread = await Promise.all(idle.map(async (connection) => String(await connection.closed())));

    expect(await exit).toBe(0);
    expect({ resets, unread: unread.filter((text) => text !== "") }).toEqual({ resets: [], unread: [] });
    await crowded.remove();
  });

  /** Opens a connection: one in ten requests /healthz, one in ten nothing, and the others a short link. */
  async function keepOpen({ url }: TestServer, index: number): Promise<RawConnection> {
    const connection = await openRaw(url);
    if (index % 10 === 0) expect((await ask(connection, visitOf("/healthz"))).status).toBe(200);
    else if (index % 10 !== 1) expect((await ask(connection, visitOf("/here"))).status).toBe(302);
    return connection;
  }

  test("under load truncates no answer, and each answered visit is counted once", async () => {
    const visitors = new Visitors({
      keys: ["here", "there"],
      connections: 8,
      address: "198.41.0.4",
      random: seededRandom(1),
    });
    let busy = await newServer();
    const exits: (number | string)[] = [];

    for (let round = 1; round <= 4; round++) {
      visitors.start(busy.url);
      await eventually(
        async () => visitors.answered.size,
        (answered) => answered >= round * 500,
      );
      exits.push(await busy.end("SIGTERM"));
      await visitors.stop();
      busy = await busy.restart();
    }
    exits.push(await busy.end("SIGTERM"));

    const stored = await storedClicks(busy);
    const tokens = new Set(stored.map(({ token }) => token));
    expect({
      exits,
      unexpectedResponses: visitors.unexpectedResponses,
      cut: visitors.cut,
      missing: [...visitors.answered.keys()].filter((token) => !tokens.has(token)),
      countedTwice: stored.length - tokens.size,
    }).toEqual({ exits: [0, 0, 0, 0, 0], unexpectedResponses: [], cut: [], missing: [], countedTwice: 0 });
    await busy.remove();
  });
});
