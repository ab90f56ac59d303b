/** Pipelined requests, and other rare parts of HTTP/1.1 (RFC 9112). */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { fieldOf, openRaw } from "./support/raw-connection.ts";
import { ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addLink } from "./support/short-domains.ts";

const Refused = z.object({ error: z.object({ code: z.string(), message: z.string().min(1), doc_url: z.string() }) });

let server: TestService;

beforeAll(async () => {
  server = await startService({ WAYPOST_URL: "http://localhost" });
  await addLink(server, { url: "https://example.com/", domain: "localhost", key: "here" });
});
afterAll(async () => await server.remove());

const fields = `Host: localhost\r\nAuthorization: Bearer ${ownerKey}\r\n`;
const list = `GET /v1/tags HTTP/1.1\r\n${fields}\r\n`;
const visit = "GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n";
const unknown = "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
const post = (name: string) => {
  const body = JSON.stringify({ name });
  return `POST /v1/tags HTTP/1.1\r\n${fields}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
const chunked = (name: string, extension = "", trailers = "") => {
  const body = JSON.stringify({ name });
  const parts = [body.slice(0, 5), body.slice(5)].map(
    (part) => `${part.length.toString(16)}${extension}\r\n${part}\r\n`,
  );
  const head = `POST /v1/tags HTTP/1.1\r\n${fields}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return `${head}${parts.join("")}0\r\n${trailers}\r\n`;
};
const methodOf = (request: string) => request.trimStart().slice(0, request.trimStart().indexOf(" "));

/** The statuses of the requests of one connection, and of one more. */
async function statusesOf(requests: readonly string[], parts: readonly string[] = [requests.join("")]) {
  const connection = await openRaw(server.url);
  for (const part of parts) await connection.send(part);
  const answers = await connection.answers(requests.map(methodOf));
  await connection.send(visit);
  const [last] = await connection.answers(["GET"]);
  connection.socket.destroy();
  return [...answers, ...(last === undefined ? [] : [last])].map(({ status }) => status);
}

describe("each pipelined request is executed once and answered in order", () => {
  /** TABLE of requests in one write, and their statuses. */
  const cases: [string, string[], number[]][] = [
    ["two lists", [list, list], [200, 200]],
    ["two creations", [post("one"), post("two")], [201, 201]],
    ["a creation twice", [post("three"), post("three")], [201, 409]],
    ["chunked bodies", [chunked("four"), chunked("five"), list], [201, 201, 200]],
    ["visits between calls", [visit, list, visit, visit, post("six"), visit], [302, 200, 302, 302, 201, 302]],
    ["heads and refusals", [list.replace("GET", "HEAD"), unknown, list, unknown], [200, 404, 200, 404]],
    ["a hundred", Array(100).fill(list), Array(100).fill(200)],
    [
      "empty lines between requests",
      [`\r\n${visit}`, `\r\n\r\n${list}`, `\r\n${post("seven")}`, `\r\n${visit}`],
      [302, 200, 201, 302],
    ],
    ["trailers", [chunked("eight", "", "X-One: 1\r\nX-Two: 2\r\n"), list], [201, 200]],
    ["extensions of chunks", [chunked("nine", ";a=b;c"), list], [201, 200]],
  ];
  for (const [name, requests, expected] of cases) {
    test(name, async () => expect(await statusesOf(requests)).toEqual([...expected, 302]));
  }

  test("byte by byte", async () => {
    const requests = [list, chunked("ten", ";x", "X-Trailer: y\r\n"), visit, post("eleven")];

    expect(await statusesOf(requests, [...requests.join("")])).toEqual([200, 201, 302, 201, 302]);
  });

  test("after a body that was rejected before it was complete", async () => {
    const body = JSON.stringify({ name: "x".repeat(5 * 1024 ** 2) });
    const head = post("").replace(/Content-Length: \d+\r\n\r\n.*$/, `Content-Length: ${body.length}\r\n\r\n`);
    const connection = await openRaw(server.url);
    await connection.send(head + body.slice(0, 100_000));
    const [refused] = await connection.answers(["POST"]);

    await connection.send(body.slice(100_000) + list + visit);
    const answers = await connection.answers(["GET", "GET"]);

    expect([refused, ...answers].map((answer) => answer?.status)).toEqual([413, 200, 302]);
    connection.socket.destroy();
  });

  test("by a client that then closes its sending side", async () => {
    const connection = await openRaw(server.url);
    connection.socket.end(post("twelve") + visit + list);

    const answers = await connection.answers(["POST", "GET", "GET"]);

    expect(answers.map(({ status }) => status)).toEqual([201, 302, 200]);
    await connection.closed();
  });

  test("up to one that asks to close the connection", async () => {
    const connection = await openRaw(server.url);
    await connection.send(list.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n") + post("not carried out"));

    const [answer] = await connection.answers(["GET"]);
    const rest = await connection.closed();

    expect([answer?.status, rest.toString()]).toEqual([200, ""]);
    expect(JSON.stringify((await server.call("GET", "/tags")).body)).not.toContain("not carried out");
  });
});

describe("a request that is invalid or whose end is ambiguous is rejected, and the connection closes", () => {
  /** TABLE of requests and their statuses. */
  const cases: [string, string, number][] = [
    ["two Host fields of a call", list.replace("Host: localhost", "Host: localhost\r\nHost: localhost"), 400],
    ["two Host fields of a visit", visit.replace("Host: localhost", "Host: localhost\r\nhost: other.example"), 400],
    ["no Host field", list.replace("Host: localhost\r\n", ""), 400],
    [
      "Content-Length and Transfer-Encoding",
      chunked("bad").replace("Transfer-Encoding", "Content-Length: 5\r\nTransfer-Encoding"),
      400,
    ],
    ["two lengths", post("bad").replace("Content-Length", "Content-Length: 1\r\nContent-Length"), 400],
    ["an unknown encoding", chunked("bad").replace("chunked", "gzip, chunked"), 400],
    ["a trailer with a bare CR", chunked("bad", "", "X-One: 1\r2\r\n"), 400],
    ["an invalid trailer", chunked("bad", "", "no field\r\n"), 400],
    ["only empty lines", "\r\n".repeat(20), 400],
    ["a chunk without a size", chunked("bad").replace("\r\n\r\n5\r\n", "\r\n\r\nx\r\n"), 400],
    ["a folded line", list.replace("Host: localhost", "Host: localhost\r\n folded"), 400],
    ["a line that ends with LF only", list.replaceAll("\r\n", "\n"), 400],
    ["an unsupported method", list.replace("GET", "BREW"), 501],
    ["a method in lower case", list.replace("GET", "get"), 501],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", 501],
    ["more than 100 header fields of a call", list.replace("\r\n\r\n", `\r\n${"a: b\r\n".repeat(200)}\r\n`), 431],
    ["more than 100 header fields of a visit", visit.replace("\r\n\r\n", `\r\n${"a: b\r\n".repeat(200)}\r\n`), 431],
    ["a head of 80 KiB", list.replace("\r\n\r\n", `\r\nX-Long: ${"a".repeat(80 * 1024)}\r\n\r\n`), 431],
    ["a body beyond the limit", post("bad").replace(/Content-Length: \d+/, "Content-Length: 8388609"), 413],
  ];
  for (const [name, request, status] of cases) {
    test(name, async () => {
      const connection = await openRaw(server.url);
      await connection.send(list + request + post("behind"));

      const [first, refusal] = await connection.answers(["GET", "GET"]);
      const rest = await connection.closed();

      expect([first?.status, refusal?.status, rest.toString()]).toEqual([200, status, ""]);
      const { error } = Refused.parse(JSON.parse(String(refusal?.body)));
      expect(error.doc_url).toBe(`http://localhost/docs#${error.code}`);
      expect(refusal && fieldOf(refusal, "x-request-id")).not.toBe("");
      expect(refusal && fieldOf(refusal, "connection")).toBe("close");
      expect(JSON.stringify((await server.call("GET", "/tags")).body)).not.toContain("behind");
    });
  }

  test("TRACE and QUERY, which no path supports, get the 405 of their path", async () => {
    expect(await statusesOf([list.replace("GET", "TRACE"), list.replace("GET", "QUERY")])).toEqual([405, 405, 302]);
  });
});
