/**
 * Malicious clients: the server bounds the resources that they take, and still answers other clients.
 * benchmarks/abuse.ts measures how fast; src/http1/public-listener.test.ts tests timeouts with a fake clock.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { callOf, expectSocketsClosed, openSockets, outcomeOf, visitOf } from "../support/http1-clients.ts";
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

/** Opens connections that read nothing until they are resumed. */
async function attack(count: number): Promise<RawConnection[]> {
  const opened = await Promise.all(Array.from({ length: count }, () => openRaw(server.url)));
  for (const { socket } of opened) socket.pause();
  attackers.push(...opened);
  return opened;
}

/** Requests a short link and calls the API, as two other clients; returns both outcomes. */
async function askAsOthers(): Promise<string[]> {
  const visit = askRaw(server.url, visitOf("/here"));
  const call = askRaw(server.url, callOf("GET", "/workspaces"));
  return (await Promise.all([visit, call])).map(outcomeOf);
}
const usualOutcomes = ["302 https://example.com/here", "200"];

describe("a request head of 64 KiB", () => {
  const long = "a".repeat(64 * 1024);
  const field = `X-Long: ${long}\r\n`;
  const fields = `X-Long: ${"a".repeat(1_000)}\r\n`.repeat(64);

  /** TABLE of heads above the limit, each sent in one packet. */
  const heads: [string, string][] = [
    ["in one field", visitOf("/here", field)],
    ["in many fields", visitOf("/here", fields)],
    ["in its path", visitOf(`/${long}`)],
    ["in its Host field", visitOf("/here").replace("localhost", long)],
    ["that is not complete yet", visitOf("/here", field).trimEnd()],
    ["of a HEAD request", visitOf("/here", field, "HEAD")],
    ["of an API call", callOf("GET", "/workspaces").replace("\r\n\r\n", `\r\n${field}\r\n`)],
    ["of an API call with a body", callOf("POST", "/links", "{}").replace("\r\n\r\n", `\r\n${field}\r\n`)],
  ];
  for (const [description, head] of heads) {
    test(`${description} is answered with 431 and a problem, and the connection is closed`, async () => {
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

  test("on a connection that has already carried an API call is answered with 431 and a problem too", async () => {
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

  test("after a pipelined visit is answered with 431, after the usual answer to the visit", async () => {
    const [connection] = await attack(1);
    if (connection === undefined) throw new Error("There is no connection.");

    await connection.send(visitOf("/here") + visitOf("/here", field));
    connection.socket.resume();

    expect((await connection.answers(["GET", "GET"])).map(outcomeOf)).toEqual(["302 https://example.com/here", "431"]);
  });

  test("sent in small packets is answered with 431 once it exceeds the limit", async () => {
    const [connection] = await attack(1);
    if (connection === undefined) throw new Error("There is no connection.");
    connection.socket.setNoDelay(true);
    connection.socket.resume();

    const head = visitOf("/here", fields);
    for (let sent = 0; sent < head.length; sent += 1_000) await connection.send(head.slice(sent, sent + 1_000));

    expect((await connection.answers(["GET"])).map(outcomeOf)).toEqual(["431"]);
  });
});

describe("connections that the client half-closes", () => {
  /** TABLE of what the client sends first: in words, as bytes, and the answers it gets. */
  const cases: [string, string, string[]][] = [
    ["nothing", "", []],
    ["the beginning of a head", visitOf("/here").slice(0, 40), []],
    ["the beginning of an API call's head", callOf("POST", "/links", "{}").slice(0, 40), []],
    ["a visit", visitOf("/here"), ["302 https://example.com/here"]],
    ["many visits", visitOf("/here").repeat(100), Array(100).fill("302 https://example.com/here")],
    ["a visit and a part of another", visitOf("/here") + visitOf("/here").slice(0, 40), [usualOutcomes[0] ?? ""]],
    // The database counts the click before the server answers.
    ["a visit that waits for the database", visitOf("/limited"), ["302 https://example.com/"]],
  ];
  for (const [sent, bytes, expected] of cases) {
    test(`after ${sent} get all answers, and leave no socket open`, async () => {
      expect(await askAsOthers()).toEqual(usualOutcomes);
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
      await expectSocketsClosed(server, before);
      expect(await askAsOthers()).toEqual(usualOutcomes);
    });
  }
});

describe("clients that pipeline a megabyte of requests and read nothing", () => {
  /** TABLE of the requested resources, and a request for each. */
  const floods: [string, string][] = [
    ["short links", visitOf("/here")],
    ["unknown keys", visitOf("/nothing-here")],
    ["passwords", visitOf("/locked?pw=guess")],
    ["files of the API reference", visitOf("/docs/swagger-ui-bundle.js")],
    ["API calls", callOf("GET", "/links")],
  ];
  for (const [resources, request] of floods) {
    test(`for ${resources} do not keep other clients from answers, and leave no socket open`, async () => {
      expect(await askAsOthers()).toEqual(usualOutcomes);
      const before = openSockets(server);
      const connections = await attack(20);

      for (const { socket } of connections) socket.write(request.repeat(Math.ceil(1024 ** 2 / request.length)));
      for (let round = 0; round < 20; round++) expect(await askAsOthers()).toEqual(usualOutcomes);
      for (const { socket } of connections) socket.resetAndDestroy();

      await expectSocketsClosed(server, before);
      expect(await askAsOthers()).toEqual(usualOutcomes);
    });
  }
});

// Waypost relies on this timeout of the HTTP server behind its listener.
test("a connection that sends the head of an API call byte by byte is closed", async () => {
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
    await Promise.race([closed, askAsOthers()]);
  }
  await closed;

  expect(await askAsOthers()).toEqual(usualOutcomes);
});
