/** The port that the world sees, under connections that are many, slow, reset, or there when the service stops. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { seededRandom } from "../support/clicks.ts";
import { callOf, expectSockets, generousMs, openSockets, visitOf } from "../support/http1-clients.ts";
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

/** As long as the server takes for another visitor: what a slow client waits between two packets. */
async function aWhile(): Promise<void> {
  expect((await askRaw(server.url, visitOf("/here"))).status).toBe(302);
}

/** From now on the client takes one packet at a time. */
function readSlowly({ socket }: RawConnection): void {
  socket.on("data", () => {
    socket.pause();
    aWhile().then(() => socket.resume());
  });
}

const packetBytes = 32 * 1024;

async function sendSlowly(connection: RawConnection, bytes: string): Promise<void> {
  for (let at = 0; at < bytes.length; at += packetBytes) {
    await connection.send(bytes.slice(at, at + packetBytes));
    await aWhile();
  }
}

describe("what is large", () => {
  const bodyBytes = 4 * 1024 ** 2;

  /** A body of exactly 4 MiB, most of it in the links' own urls. */
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
    test(
      `an upload of 4 MiB and its answer are intact with ${client}`,
      async () => {
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
      },
      generousMs,
    );

    test(
      `a download is intact with ${client}`,
      async () => {
        const connection = await openRaw(server.url);
        if (isSlowReader) readSlowly(connection);

        const request = visitOf(bundle);
        for (const part of isSlowWriter ? request : [request]) await connection.send(part);
        const [answer] = await connection.answers(["GET"]);
        connection.socket.destroy();

        expect(digestOf(answer?.body ?? "")).toBe(digestOf(readFileSync(bundleFile)));
      },
      generousMs,
    );
  }

  function digestOf(content: string | Buffer): string {
    return createHash("sha256").update(content).digest("hex");
  }
});

describe("a client that resets its connection", () => {
  const upload = callOf("POST", "/links/bulk", JSON.stringify(Array(100).fill({ url: "https://example.com/" })));
  const bytesSent = (bytes: string) => async (connection: RawConnection) => await connection.send(bytes);
  const beginningRead = (bytes: string) => async (connection: RawConnection) => {
    const begun = new Promise<void>((resolve) =>
      connection.socket.once("data", () => {
        connection.socket.pause();
        resolve();
      }),
    );
    await connection.send(bytes);
    await begun;
  };

  /** TABLE of the moments, each reached by a function. */
  const moments: [string, (connection: RawConnection) => Promise<void>][] = [
    ["before it says anything", async () => {}],
    ["before its head is whole", bytesSent(visitOf("/here").slice(0, 30))],
    ["before the head of a call is whole", bytesSent(upload.slice(0, 60))],
    ["while its visit waits for an answer", bytesSent(visitOf("/locked?pw=open+sesame"))],
    ["while visits wait behind it", bytesSent(visitOf("/locked?pw=open+sesame") + visitOf("/here").repeat(400))],
    ["while its call waits for an answer", bytesSent(upload)],
    ["amid the answers to visits", beginningRead(visitOf("/nothing").repeat(2_000))],
    ["amid a download", beginningRead(visitOf(bundle))],
    ["amid an upload", bytesSent(upload.replace(/Content-Length: \d+/, "Content-Length: 4000000"))],
  ];
  for (const [moment, reach] of moments) {
    for (const isTaken of [true, false]) {
      test(
        `${moment}, ${isTaken ? "when the server has turned to it" : "at once"}, leaves nothing open and disturbs nobody`,
        async () => {
          const visitor = await openRaw(server.url);
          const caller = await openRaw(server.url);
          const others = async () => [
            (await ask(visitor, visitOf("/there"))).status,
            (await ask(caller, callOf("GET", "/workspaces"))).status,
          ];
          expect(await others()).toEqual([302, 200]);
          const before = openSockets(server);

          for (let round = 0; round < 10; round++) {
            const connection = await openRaw(server.url);
            await reach(connection);
            if (isTaken) await aWhile();
            connection.socket.resetAndDestroy();
            expect(await others()).toEqual([302, 200]);
          }

          await expectSockets(server, before);
          expect(await others()).toEqual([302, 200]);
          for (const { socket } of [visitor, caller]) socket.destroy();
        },
        generousMs,
      );
    }
  }
});

describe("stopping", () => {
  const idleConnections = 2_000;
  const atOnce = 200;

  test(
    "closes 2,000 idle connections, beside which a visit is still answered, and ends with code 0",
    async () => {
      const crowded = await newServer();
      const idle: RawConnection[] = [];
      while (idle.length < idleConnections) {
        idle.push(...(await Promise.all(Array.from({ length: atOnce }, (_, index) => keepOpen(crowded, index)))));
      }
      const resets: unknown[] = [];
      for (const { socket } of idle) socket.on("error", (error) => resets.push(error));

      expect((await askRaw(crowded.url, visitOf("/here"))).status).toBe(302);
      const exit = crowded.end("SIGTERM");
      const rests = await Promise.all(idle.map(async (connection) => String(await connection.closed())));

      expect(await exit).toBe(0);
      expect({ resets, rests: rests.filter((rest) => rest !== "") }).toEqual({ resets: [], rests: [] });
      await crowded.remove();
    },
    generousMs,
  );

  /** Some have asked for a short link, some for a page of the app, and some for nothing yet. */
  async function keepOpen({ url }: TestServer, index: number): Promise<RawConnection> {
    const connection = await openRaw(url);
    if (index % 10 === 0) expect((await ask(connection, visitOf("/healthz"))).status).toBe(200);
    else if (index % 10 !== 1) expect((await ask(connection, visitOf("/here"))).status).toBe(302);
    return connection;
  }

  test(
    "amid visits cuts no answer in half, and each answered visit is counted once",
    async () => {
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
        surprises: visitors.surprises,
        cut: visitors.cut,
        missing: [...visitors.answered.keys()].filter((token) => !tokens.has(token)),
        countedTwice: stored.length - tokens.size,
      }).toEqual({ exits: [0, 0, 0, 0, 0], surprises: [], cut: [], missing: [], countedTwice: 0 });
      await busy.remove();
    },
    generousMs,
  );
});
