/**
 * Invalid paths, queries, headers and bytes. Every endpoint refuses them with a problem, never with a 5xx, and changes
 * nothing. Bytes that are not HTTP do not stop the server.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { problemStatus } from "../src/base/problem.ts";
import { engines } from "./support/databases.ts";
import { abortUpload, type RawAnswer, rawGet, rawRequest } from "./support/raw-http.ts";
import {
  allEndpoints,
  ask,
  exampleBody,
  expectRefusal,
  keyedEndpoints,
  makeTargets,
  namedEndpoints,
  namesAnObject,
  opensBySecret,
  pathOf,
  type Targets,
  urlOf,
} from "./support/requests.ts";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { changesBetween, openSnapshots, type Snapshot, type SnapshotReader } from "./support/snapshot.ts";
import { newTenant, type Tenant } from "./support/tenants.ts";

/** The operations that never write anything. */
const reading = namedEndpoints.filter(([, { method }]) => method === "get");
const naming = namedEndpoints.filter(([, endpoint]) => namesAnObject(endpoint));

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Every path with its methods. A path with GET has HEAD, too. */
const methodsByPath = new Map<string, string[]>();
for (const [, { method, path }] of allEndpoints) {
  const own = method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()];
  methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...own]);
}

/** TABLE of queries that are invalid for every operation. */
const badQueries: [string, string, number[]][] = [
  ["a NUL in a value", "?linkId=a%00b&domain=%00&search=%00&x=%00", [422]],
  ["a NUL in a name", "?a%00b=1", [422]],
  ["201 parameters", `?${"a&".repeat(200)}a`, [422]],
  ["5,000 parameters", `?${"a&".repeat(5_000)}`, [422]],
  ["workspaceId twice", "?workspaceId=1&workspaceId=1", [422]],
  ["workspaceId that is not a number", "?workspaceId=one", [422]],
  ["workspaceId with an exponent", "?workspaceId=1e9", [422]],
  ["workspaceId below zero", "?workspaceId=-1", [422]],
  ["workspaceId beyond 2^53", "?workspaceId=9007199254740993", [422]],
  ["workspaceId with a NUL", "?workspaceId=1%00", [422]],
  ["a missing workspace", "?workspaceId=999999999", [404]],
];

/** TABLE of queries that reads may refuse, but never answer with a 5xx. */
const oddQueries = [
  "?__proto__=x&constructor=y&toString=z&__proto__=w",
  "?linkId=%F0%9F%94%A5&linkId=%zz&key=%E0%A4%A",
  "?page=1e3&pageSize=-1&limit=1e999",
  "?page=999999999&pageSize=0",
  "?search=%25%5F%27%22%5C&domain=%27%3B--",
  "?timezone=__proto__&start=0000-00-00&end=9999-99-99",
  "?timezone=Etc/GMT%2B99&start=2026-11-20T25:61:61Z",
  `?start=${"9".repeat(1_000)}`,
  `?country=${"DE,".repeat(2_000)}`,
  `?url=${"a".repeat(7_999)}&utm_source=%ED%A0%80`,
  "?startingAfter=x&endingBefore=x&sortBy=constructor",
  "?interval=constructor&groupBy=__proto__&bots=toString",
  "?&&&==&=x&?",
];

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let tenant: Tenant;
    let targets: Targets;
    let foreign: Targets;
    let snapshots: SnapshotReader;
    let before: Snapshot;

    beforeAll(async () => {
      server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, engine);
      tenant = await newTenant(server);
      targets = await makeTargets(server);
      foreign = await makeTargets(server, tenant);
      snapshots = await openSnapshots(server);
    });

    beforeEach(async () => {
      before = await snapshots.read();
    });

    afterAll(async () => {
      await snapshots.close();
      await server.remove();
    });

    const expectNothingWritten = async () => expect(changesBetween(before, await snapshots.read())).toEqual([]);

    test.each(namedEndpoints)("%s refuses every invalid query and writes nothing", async (_, endpoint) => {
      for (const [kind, query, statuses] of badQueries) {
        // Without a key, there is no workspaceId.
        if (endpoint.scope === "none" && query.includes("workspaceId")) continue;
        const path = `${pathOf(endpoint, targets)}${query}`;
        expectRefusal(kind, await ask(server, endpoint.method.toUpperCase(), path, exampleBody(endpoint)), statuses);
      }
      await expectNothingWritten();
    });

    test.each(reading)("%s handles every odd query without an internal error", async (_, endpoint) => {
      for (const query of oddQueries) {
        const answer = await ask(server, "GET", `${pathOf(endpoint, targets)}${query}`);

        if (answer.status !== 200) expectRefusal(query, answer, [400, 404, 422]);
      }
    });

    test.each(naming)("%s returns 404 for missing and foreign objects", async (_, endpoint) => {
      const names = ["x", "ext_x", "ext_", "_root", "..", "%", "%00x", "'; --", "a".repeat(5_000), "\u{1f525}"];
      const absent = ["link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", ...names].map((name) => pathOf(endpoint, name));
      for (const path of [...(opensBySecret(endpoint) ? [] : [pathOf(endpoint, foreign)]), ...absent]) {
        // Clients resolve "..", and then request another path.
        if (path.split("/").includes("..")) continue;
        // PUT creates the link of an unknown externalId.
        if (endpoint.operationId === "putLink" && /\/ext_[^/]*$/.test(path)) continue;
        expectRefusal(path, await ask(server, endpoint.method.toUpperCase(), path, exampleBody(endpoint)), [404]);
      }
      await expectNothingWritten();
    });

    test.each(naming)("%s refuses a name with a NUL or an unpaired surrogate", async (_, endpoint) => {
      const path = pathOf(endpoint, "name").replace("name", "%00");

      expectRefusal(path, await ask(server, endpoint.method.toUpperCase(), path, exampleBody(endpoint)), [422]);

      await expectNothingWritten();
    });

    test.each(keyedEndpoints)("%s refuses every caller without a valid key", async (_, endpoint) => {
      const callers: [string, number][] = [
        ["", 401],
        ["Bearer wp_00000000000000000000000000000000000000", 401],
        [`Bearer ${ownerKey}x`, 401],
        [`Bearer ${"k".repeat(5_000)}`, 401],
        ["Basic dGVzdDp0ZXN0", 400],
        [ownerKey, 400],
        ["Bearer", 400],
        [`Bearer ${ownerKey} ${ownerKey}`, 400],
        [`Bearer ${ownerKey}, Bearer x`, 400],
      ];
      for (const [Authorization, status] of callers) {
        const answer = await ask(server, endpoint.method.toUpperCase(), pathOf(endpoint, targets), {
          ...exampleBody(endpoint),
          headers: { Authorization },
        });

        expectRefusal(Authorization, answer, [status]);
        expect({ Authorization, hint: answer.headers.get("www-authenticate") }).toEqual({
          Authorization,
          hint: status === 401 ? "Bearer" : null,
        });
      }
      await expectNothingWritten();
    });

    test("an aborted upload logs no error and writes nothing", async () => {
      const aborted = async () => {
        const text = await (await fetch(`${server.url}/metrics`)).text();
        return Number(/operation="createLink",status="400"} (\d+)/.exec(text)?.[1] ?? 0);
      };
      const before = await aborted();

      await abortUpload(server.url, {
        head: `POST /v1/links HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ownerKey}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
        part: `{"url": "${"x".repeat(50_000)}`,
      });

      expect(await eventually(aborted, (count) => count > before)).toBe(before + 1);
      expect(server.output()).not.toContain('"level":"error"');
      await expectNothingWritten();
    });

    test.each([...methodsByPath])("%s returns 405 and its methods for every other method", async (path, allowed) => {
      // A fixed segment can match the parameter of another path, as in /links/count.
      const isShadowed = !path.includes("{") && path.split("/").length > 2;
      for (const method of methods.filter((candidate) => !allowed.includes(candidate) && !isShadowed)) {
        const answer = await ask(server, method, pathOf({ path: path as `/${string}` }, "name"));

        expect({ method, status: answer.status, allow: answer.headers.get("allow")?.split(", ").sort() }).toEqual({
          method,
          status: problemStatus.method_not_allowed,
          allow: [...allowed, "OPTIONS"].sort(),
        });
        if (method !== "HEAD") expectRefusal(method, answer, [405]);
      }
      await expectNothingWritten();
    });

    test.each(reading)("HEAD instead of %s returns the same status and no body", async (_, endpoint) => {
      const { status, headers, text } = await ask(server, "HEAD", urlOf(endpoint, targets));

      expect({ status, text, hasId: headers.has("x-request-id") }).toEqual({ status: 200, text: "", hasId: true });
    });

    test("an unknown path is 404, with and without a key", async () => {
      for (const path of ["", "/", "/nothing", "/links/", "/links/a/b/c", "//links", "/LINKS", "/%00", "/%zz"]) {
        for (const Authorization of ["", `Bearer ${ownerKey}`]) {
          for (const method of ["GET", "POST", "DELETE"]) {
            expectRefusal(`${method} ${path}`, await ask(server, method, path, { headers: { Authorization } }), [404]);
          }
        }
      }
    });

    test("the OpenAPI document answers GET, and other methods with 405", async () => {
      const document = await ask(server, "GET", "/openapi.json");
      const posted = await ask(server, "POST", "/openapi.json", { body: "{}" });

      expect([document.status, document.headers.has("x-request-id")]).toEqual([200, true]);
      expectRefusal("POST /openapi.json", posted, [405]);
      expect(posted.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    });

    test("a valid X-Request-Id of the caller is kept", async () => {
      const given = async (id: string) =>
        (await ask(server, "GET", "/workspaces", { headers: { "X-Request-Id": id } })).headers.get("x-request-id");

      expect(await given("caller.id-12345678")).toBe("caller.id-12345678");
      for (const id of ["short", "with spaces in it", "x".repeat(65), '{"a":1}12345']) {
        expect([id, await given(id)]).toEqual([id, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      }
    });

    describe("bytes that no valid client sends", () => {
      const send = async (bytes: string | Buffer): Promise<RawAnswer | undefined> =>
        await rawRequest(server.url, bytes);
      const key = { Authorization: `Bearer ${ownerKey}` };

      /** Bytes, and the allowed statuses; the server may also close the connection without a response. */
      const abuses: [string, string | Buffer, number[]][] = [
        ["a TLS ClientHello", Buffer.from("160301020001000001fc0303", "hex"), [400]],
        ["words", "hello there\r\n\r\n", [400]],
        ["NUL bytes", Buffer.alloc(1_000), [400]],
        ["an unknown method", "FROB /v1/links HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", [501]],
        ["a header of 64 KiB", rawGet("/healthz", { Host: "localhost", X: "a".repeat(65_536) }), [431]],
        ["a path of 64 KiB", rawGet(`/${"a".repeat(65_536)}`), [404, 414, 431]],
        ["10,000 query parameters", rawGet(`/v1/links?${"a&".repeat(10_000)}`), [401, 414, 422, 431]],
        [
          "two Content-Length fields",
          "POST /v1/links HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
          [400],
        ],
        ["a negative Content-Length", "POST /v1/links HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nxx", [400]],
        ["invalid chunks", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", [400, 405]],
        ["no Host in HTTP/1.1", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", [400]],
        ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", [400, 405]],
        ["//", rawGet("//"), [404]],
        ["/..//", rawGet("/..//"), [404]],
        ["/../../etc/passwd", rawGet("/../../etc/passwd"), [404]],
        ["/docs/../../package.json", rawGet("/docs/../../package.json"), [404]],
        ["/docs/..%2f..%2fpackage.json", rawGet("/docs/..%2f..%2fpackage.json"), [404]],
        ["/%zz", rawGet("/%zz"), [404]],
        ["/%00", rawGet("/%00"), [404]],
        ["/%ED%A0%80", rawGet("/%ED%A0%80"), [404]],
        ["/%C0%AF", rawGet("/%C0%AF"), [404]],
        ["bytes beyond ASCII", Buffer.from(rawGet("/\u{1f525}")), [400, 404]],
        ["an absolute target", rawGet("http://localhost/nothing"), [404]],
        ["an absolute target on another host", rawGet("http://elsewhere.example/v1/links"), [401, 404]],
        ["/v1/links/%zz", rawGet("/v1/links/%zz", { Host: "localhost", ...key }), [404]],
        ["/v1/%zz/%00", rawGet("/v1/%zz/%00"), [404]],
      ];
      for (const [description, bytes, statuses] of abuses) {
        test(`${description} gets an error or a closed connection, and the server answers the next request`, async () => {
          const answer = await send(bytes);

          const isAllowed = answer === undefined || statuses.includes(answer.status);
          expect({ description, answer, isAllowed }).toEqual({ description, answer, isAllowed: true });
          expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
        });
      }

      const hosts = ["", " ", "a b", "[", "[::1", "]", ":", ":80", "a:99999999", "%zz", "%00", "..", "@", "a/b", "a?b"];
      for (const host of hosts) {
        test(`a request with the invalid Host "${host}" gets the app`, async () => {
          const headers = { Host: host, ...key };

          const links = await send(rawGet("/v1/links?page=1", headers));
          const health = await send(rawGet("/healthz", headers));
          const absent = await send(rawGet("/nothing-here", headers));

          const statuses = [links?.status, health?.status, absent?.status];
          const isRefused = statuses.every((status) => status === 400);
          expect({ host, statuses }).toEqual({ host, statuses: isRefused ? [400, 400, 400] : [200, 200, 404] });
        });
      }

      test("an HTTP/1.0 request without Host gets the app", async () => {
        const headers = `Authorization: ${key.Authorization}\r\n\r\n`;

        expect((await send(`GET /v1/workspaces HTTP/1.0\r\n${headers}`))?.status).toBe(200);
        expect((await send("GET /healthz HTTP/1.0\r\n\r\n"))?.status).toBe(200);
        expect((await send("GET /nothing-here HTTP/1.0\r\n\r\n"))?.status).toBe(404);
      });
    });

    test("the server has logged no internal error", () => {
      expect(server.output()).not.toContain('"level":"error"');
    });
  });
}
