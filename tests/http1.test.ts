/** The public port, byte by byte: order and framing of responses, and which parser handles a request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callOf, expectClicks, expectSocketsClosed, openSockets, outcomeOf, visitOf } from "./support/http1-clients.ts";
import { askRaw, fieldOf, openRaw } from "./support/raw-connection.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { addLink } from "./support/short-domains.ts";

let server: TestServer;
let links = 0;

beforeAll(async () => {
  server = await startServer({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });
});
afterAll(async () => {
  expect(server.output()).not.toContain('"level":"error"');
  await server.remove();
});

/** Creates a link for one test. */
async function newLink() {
  const key = `link-${++links}`;
  const { id } = await addLink(server, { url: `https://example.com/${key}`, domain: "localhost", key });
  return { id, path: `/${key}`, outcome: `302 https://example.com/${key}` };
}

function repeated<Value>(count: number, value: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => value(index));
}

describe("order", () => {
  test("hundreds of visits in one packet are answered in order, and each is one click", async () => {
    const link = await newLink();
    const connection = await openRaw(server.url);

    await connection.send(repeated(400, (index) => visitOf(`${link.path}?n=${index}`)).join(""));
    const answers = await connection.answers(repeated(400, () => "GET"));
    connection.socket.destroy();

    expect(answers.map(outcomeOf)).toEqual(repeated(400, (index) => `${link.outcome}?n=${index}`));
    await expectClicks(server, link.id, 400);
  });

  test("requests sent byte by byte are answered in order, and each is one click", async () => {
    const link = await newLink();
    const connection = await openRaw(server.url);
    connection.socket.setNoDelay(true);
    const requests = [visitOf(link.path), visitOf("/nothing-here"), visitOf(link.path, "", "HEAD"), visitOf(link.path)];

    for (const byte of requests.join("")) await connection.send(byte);
    const answers = await connection.answers(["GET", "GET", "HEAD", "GET"]);
    connection.socket.destroy();

    expect(answers.map(({ status }) => status)).toEqual([302, 404, 302, 302]);
    await expectClicks(server, link.id, 2);
  });

  // Requests after a forwarded one wait for its response, because the HTTP server closes pipelined connections.
  test("visits, pages and API calls share a connection, wherever packets end", async () => {
    const link = await newLink();
    const call = callOf("POST", "/links", JSON.stringify({ url: "https://example.com/made", domain: "localhost" }));
    const visits = visitOf(link.path) + visitOf("/nothing-here") + visitOf(link.path, "", "HEAD");

    const pieces = [100_000, 1_000, 77, 13];
    for (const piece of pieces) {
      const connection = await openRaw(server.url);
      const ask = async (bytes: string, methods: string[]) => {
        for (let at = 0; at < bytes.length; at += piece) await connection.send(bytes.slice(at, at + piece));
        return (await connection.answers(methods)).map(({ status }) => status);
      };
      expect(
        await ask(
          visits.repeat(20),
          repeated(60, (index) => (index % 3 === 2 ? "HEAD" : "GET")),
        ),
      ).toHaveLength(60);
      expect(await ask(visits + call, ["GET", "GET", "HEAD", "POST"])).toEqual([302, 404, 302, 200]);
      expect(await ask(visitOf(link.path), ["GET"])).toEqual([302]);
      expect(await ask(call, ["POST"])).toEqual([200]);
      expect(await ask(visitOf("/nothing-here"), ["GET"])).toEqual([404]);
      connection.socket.destroy();
    }

    await expectClicks(server, link.id, 22 * pieces.length);
  });

  test("a client that reads only after sending 5,000 visits gets 5,000 answers in order", async () => {
    const link = await newLink();
    const connection = await openRaw(server.url);
    connection.socket.pause();

    const sent = connection.send(repeated(5_000, (index) => visitOf(`${link.path}?n=${index}`)).join(""));
    // Later requests are answered, so the server has handled this one.
    await expectClicks(server, (await visited()).id, 1);
    connection.socket.resume();
    await sent;
    const answers = await connection.answers(repeated(5_000, () => "GET"));
    connection.socket.destroy();

    expect(answers.map(outcomeOf)).toEqual(repeated(5_000, (index) => `${link.outcome}?n=${index}`));
    await expectClicks(server, link.id, 5_000);
  });

  test("a client that sends and never reads is paused, whatever it requests", async () => {
    const link = await newLink();
    const before = openSockets(server);
    const sentBytesMax = 64 * 1024 ** 2;
    const sentBytes: number[] = [];
    for (const request of [visitOf(link.path), visitOf("/nothing-here")]) {
      const connection = await openRaw(server.url);
      connection.socket.pause();
      const packet = Buffer.from(request.repeat(Math.ceil(65_536 / request.length)));

      // Until the socket buffers are full: a packet still waits when later requests were answered.
      while (connection.socket.bytesWritten < sentBytesMax && !connection.socket.destroyed) {
        const turn = { isOver: false };
        const isTaken = await Promise.race([
          connection.send(packet).then(() => true),
          askedTimes(200, turn).then(() => false),
        ]);
        turn.isOver = true;
        if (!isTaken) break;
      }
      sentBytes.push(connection.socket.bytesWritten);
      connection.socket.resetAndDestroy();
    }

    expect(Math.max(...sentBytes)).toBeLessThan(sentBytesMax);
    await expectSocketsClosed(server, before);
  });

  async function visited() {
    const link = await newLink();
    await askRaw(server.url, visitOf(link.path));
    return link;
  }

  async function askedTimes(times: number, turn: { isOver: boolean }): Promise<void> {
    for (let visit = 0; visit < times && !turn.isOver; visit++) await askRaw(server.url, visitOf("/nothing-here"));
  }
});

describe("one answer", () => {
  test("HEAD gets the Content-Length of GET and no body", async () => {
    const link = await newLink();
    for (const path of [link.path, "/nothing-here"]) {
      const connection = await openRaw(server.url);
      await connection.send(visitOf(path, "", "HEAD") + visitOf(path) + visitOf(path, "Connection: close\r\n", "HEAD"));

      const [head, get] = await connection.answers(["HEAD", "GET", "HEAD"]);

      expect((await connection.closed()).toString()).toBe("");
      if (head === undefined || get === undefined) throw new Error("An answer is missing.");
      expect([path, fieldOf(head, "content-length")]).toEqual([path, String(get.body.length)]);
    }
  });

  test("Connection: close ends the connection after the answer and keep-alive does not, also for pages", async () => {
    const link = await newLink();
    for (const [path, status] of [
      [link.path, 302],
      ["/nothing-here", 404],
    ] as const) {
      const connection = await openRaw(server.url);
      for (const line of ["", "Connection: keep-alive\r\n", "Connection: KEEP-ALIVE\r\n"]) {
        await connection.send(visitOf(path, line));
        expect((await connection.answers(["GET"])).map((answer) => answer.status)).toEqual([status]);
      }

      await connection.send(visitOf(path, "Connection: Close\r\n"));
      const [last] = await connection.answers(["GET"]);

      expect([last?.status, last && fieldOf(last, "connection")]).toEqual([status, "close"]);
      expect((await connection.closed()).toString()).toBe("");
    }
  });

  test.each(["", "Connection: keep-alive\r\n"])(
    "HTTP/1.0 gets an answer, and the connection closes: %j",
    async (line) => {
      const link = await newLink();
      const connection = await openRaw(server.url);

      await connection.send(`GET ${link.path} HTTP/1.0\r\nHost: localhost\r\n${line}\r\n`.repeat(2));

      expect((await connection.answers(["GET"])).map(outcomeOf)).toEqual([link.outcome]);
      expect((await connection.closed()).toString()).toBe("");
    },
  );

  test("a client that closes its sending side still gets all answers", async () => {
    const link = await newLink();
    const connection = await openRaw(server.url);

    connection.socket.end(visitOf(link.path).repeat(3) + visitOf("/nothing-here") + visitOf(link.path) + "GET /cut");
    const answers = await connection.answers(repeated(5, () => "GET"));

    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302, 404, 302]);
    expect((await connection.closed()).toString()).toBe("");
    await expectClicks(server, link.id, 4);
  });

  test("a head of up to 16 KiB is accepted and a longer one rejected, in whatever pieces it arrives", async () => {
    const link = await newLink();
    for (const [padding, status] of [
      [15_000, 302],
      [20_480, 431],
    ] as const) {
      for (const piece of [100_000, 1_000, 100]) {
        const connection = await openRaw(server.url);
        const bytes = visitOf(link.path, `X: ${"a".repeat(padding)}\r\n`);
        for (let at = 0; at < bytes.length; at += piece) await connection.send(bytes.slice(at, at + piece));
        expect([padding, piece, (await connection.answers(["GET"])).map((answer) => answer.status)]).toEqual([
          padding,
          piece,
          [status],
        ]);
        connection.socket.destroy();
      }
    }
  });
});

/** Lengths and line ends decide where a request ends; the bytes of its body must not become another request. */
describe("smuggled requests", () => {
  const hidden = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const cases: [string, string, string, number][] = [
    ["in a body with Content-Length", `Content-Length: ${hidden.length}\r\n`, hidden, 302],
    ["in a body with Content-Length in mixed case", `cOnTeNt-LeNgTh:\t${hidden.length} \r\n`, hidden, 302],
    ["in a chunked body", "Transfer-Encoding: chunked\r\n", chunked, 302],
    ["after two Content-Length fields", `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n`, hidden, 400],
    ["after Content-Length and Transfer-Encoding", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunked, 400],
    ["after a folded line", "X: a\r\n Content-Length: 5\r\n", hidden, 400],
    ["after a space before the colon", `Content-Length : ${hidden.length}\r\n`, hidden, 400],
    ["after a bare CR", `X: a\rContent-Length: ${hidden.length}\r\n`, hidden, 400],
    ["after an unknown encoding", "Transfer-Encoding: xchunked\r\n", chunked, 400],
    ["after an invalid length", "Content-Length: 5x\r\n", hidden, 400],
  ];
  for (const method of ["GET", "HEAD"]) {
    for (const [where, lines, body, status] of cases) {
      test(`requests ${where} of a ${method} are not executed`, async () => {
        const link = await newLink();
        const connection = await openRaw(server.url);

        await connection.send(visitOf(link.path, lines, method) + body);
        const answers = await connection.answers([method]);

        expect(answers.map((answer) => answer.status)).toEqual([status]);
        if (status === 302) {
          await connection.send(visitOf("/last"));
          expect((await connection.answers(["GET"])).map((answer) => answer.status)).toEqual([404]);
        } else {
          expect((await connection.closed()).toString()).toBe("");
        }
        connection.socket.destroy();
        await expectClicks(server, link.id, status === 302 && method === "GET" ? 1 : 0);
      });
    }
  }
});
