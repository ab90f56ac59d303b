/**
 * Malicious clients: the resources that they take are bounded, and other clients are answered. benchmarks/abuse.ts
 * measures how fast; src/http1/public-listener.test.ts tests timeouts with a fake clock.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { callOf, expectSockets, generousMs, openSockets, outcomeOf, visitOf } from "../support/http1-clients.ts";
import { askRaw, fieldOf, openRaw, type RawConnection } from "../support/raw-connection.ts";
import { startServer, type TestServer, usualPasswordCost } from "../support/server.ts";
import { addLink } from "../support/short-domains.ts";

const ProblemBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

let server: TestServer;
const attackers: RawConnection[] = [];

beforeAll(async () => {
  server = await startServer(usualPasswordCost);
  await addLink(server, { url: "https://example.com/here", domain: "localhost", key: "here" });
  await addLink(server, { url: "https://example.com/", domain: "localhost", key: "locked", password: "open sesame" });
  await addLink(server, { url: "https://example.com/", domain: "localhost", key: "limited", maxClicks: 1_000 });
});
afterEach(() => {
  for (const { socket } of attackers.splice(0)) socket.destroy();
});
afterAll(async () => {
  expect(server.output()).not.toContain('"level":"error"');
  await server.remove();
});

async function attack(count: number): Promise<RawConnection[]> {
  const opened = await Promise.all(Array.from({ length: count }, () => openRaw(server.url)));
  for (const { socket } of opened) socket.pause();
  attackers.push(...opened);
  return opened;
}

/** What others get of the service: a short link, and a call of the API. */
async function others(): Promise<string[]> {
  const visit = askRaw(server.url, visitOf("/here"));
  const call = askRaw(server.url, callOf("GET", "/workspaces"));
  return (await Promise.all([visit, call])).map(outcomeOf);
}
const asAlways = ["302 https://example.com/here", "200"];

describe("a head of 64 KiB", () => {
  const long = "a".repeat(64 * 1024);
  const field = `X-Long: ${long}\r\n`;
  const fields = `X-Long: ${"a".repeat(1_000)}\r\n`.repeat(64);

  /** TABLE of heads that are too long, each sent in one packet. */
  const heads: [string, string][] = [
    ["in one field", visitOf("/here", field)],
    ["in many fields", visitOf("/here", fields)],
    ["in its path", visitOf(`/${long}`)],
    ["in its Host field", visitOf("/here").replace("localhost", long)],
    ["that has not ended yet", visitOf("/here", field).trimEnd()],
    ["of a HEAD", visitOf("/here", field, "HEAD")],
    ["of a call", callOf("GET", "/workspaces").replace("\r\n\r\n", `\r\n${field}\r\n`)],
    ["of a call with a body", callOf("POST", "/links", "{}").replace("\r\n\r\n", `\r\n${field}\r\n`)],
  ];
  for (const [where, head] of heads) {
    test(`${where} is answered with 431 and a problem, and the connection is closed`, async () => {
      const [connection] = await attack(1);
      if (connection === undefined) throw new Error("There is no connection.");

      await connection.send(head);
      connection.socket.resume();
      const [answer] = await connection.answers(["GET"]);

      expect(answer?.status).toBe(431);
      expect(ProblemBody.parse(JSON.parse(String(answer?.body))).error).toEqual({
        code: "request_headers_too_large",
        message: "The request line and the header fields have at most 16 KiB.",
      });
      expect(answer === undefined ? "" : fieldOf(answer, "connection")).toBe("close");
      expect((await connection.closed()).toString()).toBe("");
    });
  }

  test("on a connection that has carried a call is answered with 431 and a problem too", async () => {
    const [connection] = await attack(1);
    if (connection === undefined) throw new Error("There is no connection.");
    connection.socket.resume();

    await connection.send(callOf("GET", "/workspaces"));
    await connection.answers(["GET"]);
    const tooLong = `X-Long: ${"a".repeat(20 * 1024)}\r\n\r\n`;
    await connection.send(callOf("GET", "/workspaces").replace("\r\n\r\n", `\r\n${tooLong}`));
    const [answer] = await connection.answers(["GET"]);

    expect(answer?.status).toBe(431);
    expect(ProblemBody.parse(JSON.parse(String(answer?.body))).error.code).toBe("request_headers_too_large");
    expect(answer === undefined ? "" : fieldOf(answer, "x-request-id")).not.toBe("");
  });

  test("behind a visit is answered behind it, and the visit as always", async () => {
    const [connection] = await attack(1);
    if (connection === undefined) throw new Error("There is no connection.");

    await connection.send(visitOf("/here") + visitOf("/here", field));
    connection.socket.resume();

    expect((await connection.answers(["GET", "GET"])).map(outcomeOf)).toEqual(["302 https://example.com/here", "431"]);
  });

  test(
    "that comes in small packets is read no further than its bound",
    async () => {
      const [connection] = await attack(1);
      if (connection === undefined) throw new Error("There is no connection.");
      connection.socket.setNoDelay(true);
      connection.socket.resume();

      const head = visitOf("/here", fields);
      for (let at = 0; at < head.length; at += 1_000) await connection.send(head.slice(at, at + 1_000));

      expect((await connection.answers(["GET"])).map(outcomeOf)).toEqual(["431"]);
    },
    generousMs,
  );
});

describe("connections whose client has said that it sends nothing more", () => {
  /** TABLE of what they have sent before, and the answers they get. */
  const moments: [string, string, string[]][] = [
    ["nothing", "", []],
    ["the beginning of a head", visitOf("/here").slice(0, 40), []],
    ["the beginning of a call's head", callOf("POST", "/links", "{}").slice(0, 40), []],
    ["a visit", visitOf("/here"), ["302 https://example.com/here"]],
    ["many visits", visitOf("/here").repeat(100), Array(100).fill("302 https://example.com/here")],
    ["a visit and the beginning of one", visitOf("/here") + visitOf("/here").slice(0, 40), [asAlways[0] ?? ""]],
    // The database counts its clicks before it is answered.
    ["a visit that waits for the database", visitOf("/limited"), ["302 https://example.com/"]],
  ];
  for (const [moment, bytes, expected] of moments) {
    test(
      `after ${moment} get what they asked for and leave nothing open`,
      async () => {
        expect(await others()).toEqual(asAlways);
        const before = openSockets(server);
        const connections = await attack(20);

        await Promise.all(
          connections.map(async (connection) => {
            connection.socket.end(bytes);
            connection.socket.resume();
            const answers = await connection.answers(expected.map(() => "GET"));
            expect(answers.map(outcomeOf)).toEqual(expected);
          }),
        );

        await Promise.all(connections.map((connection) => connection.closed()));
        await expectSockets(server, before);
        expect(await others()).toEqual(asAlways);
      },
      generousMs,
    );
  }
});

describe("clients that ask ahead and read nothing", () => {
  /** TABLE of what they ask for, a megabyte of it each. */
  const floods: [string, string][] = [
    ["short links", visitOf("/here")],
    ["unknown keys", visitOf("/nothing-here")],
    ["passwords", visitOf("/locked?pw=guess")],
    ["pages of the app", visitOf("/docs/swagger-ui-bundle.js")],
    ["calls", callOf("GET", "/links")],
  ];
  for (const [what, request] of floods) {
    test(
      `for ${what} keep nobody from being answered, and leave nothing open`,
      async () => {
        expect(await others()).toEqual(asAlways);
        const before = openSockets(server);
        const connections = await attack(20);

        for (const { socket } of connections) socket.write(request.repeat(Math.ceil(1024 ** 2 / request.length)));
        for (let round = 0; round < 20; round++) expect(await others()).toEqual(asAlways);
        for (const { socket } of connections) socket.resetAndDestroy();

        await expectSockets(server, before);
        expect(await others()).toEqual(asAlways);
      },
      generousMs,
    );
  }
});

// The HTTP server's own bound, which this program relies on.
test(
  "the head of a call that comes byte by byte is not waited for",
  async () => {
    const [connection] = await attack(1);
    if (connection === undefined) throw new Error("There is no connection.");
    let isClosed = false;
    connection.socket.resume();
    await connection.send("POST /v1/links HTTP/1.1\r\nX-Slow: ");

    const closed = connection.closed().then(() => {
      isClosed = true;
    });
    while (!isClosed) {
      connection.socket.write("s");
      await Promise.race([closed, others()]);
    }
    await closed;

    expect(await others()).toEqual(asAlways);
  },
  generousMs,
);
