/** What all responses of the API have in common: methods, headers, pagination, CORS, compression. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { z } from "@hono/zod-openapi";
import type { Endpoint } from "../src/api/http/endpoint.ts";
import { rawGet, rawRequest } from "./support/raw-http.ts";
import { makeTargets, namedEndpoints, pathOf, refusalOf } from "./support/requests.ts";
import { ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

let server: TestService;

beforeAll(async () => {
  server = await startService({ WAYPOST_URL: "https://links.example.com" });
  for (let index = 0; index < 7; index++) {
    await server.call("POST", "/links", { body: { url: `https://example.com/paged/${index}` } });
  }
});
afterAll(() => server.remove());

const authorization = { Authorization: `Bearer ${ownerKey}` };

/** Requests without fetch's additional headers, and returns the body without decoding it. */
async function plain(path: string, headers: Record<string, string> = {}, method = "GET") {
  const bytes = rawGet(path, { Host: "localhost", ...headers }).replace(/^GET/, method);
  const answer = await rawRequest(server.url, bytes);
  if (answer === undefined) throw new Error(`No answer to ${path}.`);
  return answer;
}

describe("other origins", () => {
  const origin = { Origin: "https://page.example" };
  const preflight = {
    ...origin,
    "Access-Control-Request-Method": "PATCH",
    "Access-Control-Request-Headers": "if-match",
  };

  test.each([...new Set(namedEndpoints.map(([, { path }]) => path))])("a preflight for %s is 204", async (path) => {
    const own = namedEndpoints.filter(([, endpoint]) => endpoint.path === path).map(([, { method }]) => method);

    const { status, headers, body } = await plain(`/v1${pathOf({ path }, "x")}`, preflight, "OPTIONS");

    expect([status, body, headers.get("access-control-allow-origin")]).toEqual([204, "", "*"]);
    const allowed = headers.get("access-control-allow-methods")?.toLowerCase().split(", ");
    // The path with a parameter matches a fixed segment, too.
    expect(allowed).toEqual(expect.arrayContaining(own));
    const fields = headers.get("access-control-allow-headers")?.toLowerCase().split(", ") ?? [];
    for (const name of [
      "authorization",
      "content-type",
      "idempotency-key",
      "if-match",
      "if-none-match",
      "x-request-id",
    ]) {
      expect(fields).toContain(name);
    }
    expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("a preflight needs no key and no path, so that a page can read the following error", async () => {
    expect((await plain("/v1/nothing", preflight, "OPTIONS")).status).toBe(204);
    expect((await plain("/v1/nothing", origin, "OPTIONS")).status).toBe(404);
  });

  test("a page can read every response, including errors", async () => {
    const answers = [
      await plain("/v1/links", { ...origin, ...authorization }),
      await plain("/v1/links", origin),
      await plain("/v1/nothing", origin),
      await plain("/v1/links", { ...origin, ...authorization }, "PATCH"),
      await plain("/v1/openapi.json", origin),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 405, 200]);
    for (const { headers } of answers) {
      expect(headers.get("access-control-allow-origin")).toBe("*");
      const exposed = headers.get("access-control-expose-headers")?.split(", ") ?? [];
      expect(exposed).toEqual(expect.arrayContaining(["ETag", "Link", "RateLimit-Remaining", "Retry-After"]));
    }
  });
});

describe("a message says what is valid:", () => {
  const link = (fields: object) => ({ url: "https://example.com", ...fields });
  const cases: [method: string, path: string, body: object | undefined, message: string][] = [
    [
      "POST",
      "/links",
      link({ rules: [{ when: { contry: "DE" }, url: "https://a.example" }] }),
      "did you mean country?",
    ],
    ["POST", "/links", {}, "url: is missing; it must be text."],
    ["POST", "/links", link({ title: [] }), "title: must be text"],
    [
      "POST",
      "/links",
      link({ redirectStatus: "301" }),
      "redirectStatus: must be one of the numbers 301, 302, 307, 308",
    ],
    ["POST", "/links", { url: "no url" }, "url: must be a full URL, such as https://example.com/page."],
    ["POST", "/links", link({ expiresAt: 5 }), "expiresAt: must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z"],
    [
      "POST",
      "/links",
      link({ expiresAt: "2027-02-31" }),
      "expiresAt: must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z",
    ],
    ["DELETE", "/workspaces/1", undefined, "confirm: must be the workspace's name"],
    ["GET", "/links?page=1001", undefined, "from 1 to 1000; beyond it, use startingAfter"],
    ["GET", "/links/", undefined, "It has an extra slash; use /v1/links."],
    ["GET", "//links/abc", undefined, "It has an extra slash; use /v1/links/{linkId}."],
    ["GET", "/nothing/", undefined, "There is no such path in this API. See /docs."],
  ];

  test.each(cases)("%s %s %j", async (method, path, body, message) => {
    const answer = await server.call(method, path, body === undefined ? {} : { body });

    expect(JSON.stringify(answer.body)).toContain(message);
  });

  test("an empty body counts as missing", async () => {
    const headers = { ...authorization, "Content-Type": "application/json" };
    const answer = await fetch(`${server.url}/v1/links`, { method: "POST", headers });

    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("The body is missing")]);
  });
});

describe("methods", () => {
  test.each([
    "/healthz",
    "/readyz",
    "/docs",
    "/docs/start.js",
    "/favicon.ico",
    "/metrics",
    "/v1/openapi.json",
    "/v1/links",
  ])("%s returns 204 with Allow for OPTIONS, and 405 with Allow for an unsupported method", async (path) => {
    const options = await plain(path, {}, "OPTIONS");
    const refused = await plain(path, {}, "PATCH");

    expect([options.status, refused.status]).toEqual([204, 405]);
    expect(options.headers.get("allow")).toBe(refused.headers.get("allow"));
    expect(options.headers.get("allow")).toStartWith(path === "/v1/links" ? "POST, GET, HEAD" : "GET, HEAD");
  });

  test.each(["/v1/links", "/v1/workspaces", "/v1/openapi.json", "/docs", "/docs/swagger-ui.css", "/healthz", "/app"])(
    "HEAD of %s has the headers of GET",
    async (path) => {
      for (const encoding of ["identity", "gzip", "br", "zstd"]) {
        const fields = { ...authorization, "Accept-Encoding": encoding, "X-Request-Id": "the-same-id" };
        const got = await plain(path, fields);
        const head = await plain(path, fields, "HEAD");

        // Each response has another nonce.
        const comparable = ({ headers }: { headers: Headers }) =>
          Object.fromEntries(
            [...headers]
              .filter(([name]) => !/^(date|connection)$|ratelimit/.test(name))
              .map(([name, value]) => [name, value.replace(/nonce-\w+/, "nonce")]),
          );
        expect([head.status, head.body]).toEqual([200, ""]);
        expect(comparable(head)).toEqual(comparable(got));
      }
    },
  );
});

describe("bodies", () => {
  const post = (headers: Record<string, string>, body = '{"name": "x"}') =>
    server.call("POST", "/workspaces", { body, headers });

  test("are accepted as JSON in UTF-8, and otherwise rejected with 415", async () => {
    for (const type of ["application/json", "application/json; charset=utf-8", 'APPLICATION/JSON;charset="UTF-8"']) {
      expect([type, (await post({ "Content-Type": type })).status]).toEqual([type, 201]);
    }
    for (const type of ["text/plain", "application/json-patch+json", "application/json; charset=latin1", ""]) {
      const refused = await post({ "Content-Type": type });
      expect([type, refusalOf(refused)]).toEqual([type, "415 unsupported_media_type"]);
    }
    expect(refusalOf(await post({ "Content-Encoding": "gzip" }))).toBe("415 unsupported_media_type");
  });
});

describe("errors of body fields", () => {
  const wrong = [{}, [{}], 12.5, -1, 1e300, true, "\u00e4".repeat(40_000), null, [Array(1_000).fill("a")]];
  const theValidatorsWords = /invalid (input|option|string|value|key)|too (big|small)|received|expected|undefined/i;
  const withBody = namedEndpoints.filter(([, { bodySchema }]) => bodySchema !== undefined);

  test.each(withBody)("of %s begin with the field and say what is valid", async (_, endpoint) => {
    const { bodySchema, bodyExample, method } = endpoint;
    const fields = bodySchema instanceof z.ZodObject ? Object.keys(bodySchema.shape) : [];
    const example: Record<string, unknown> = { ...Object(bodyExample) };
    for (const field of fields) {
      for (const value of [...wrong, undefined]) {
        const { status, body } = await server.call(method.toUpperCase(), pathOf(endpoint, "absent"), {
          body: { ...example, [field]: value },
        });
        if (status !== 422) continue;
        const { message } = Refusal.parse(body).error;
        const shown = JSON.stringify(value)?.slice(0, 40);
        expect({
          field,
          shown,
          message,
          isOurs: message.startsWith(field) && !theValidatorsWords.test(message),
        }).toEqual({
          ...{ field, shown, message, isOurs: true },
        });
      }
    }
  });
});

const Refusal = z.object({ error: z.object({ message: z.string() }) });

describe("compression", () => {
  const unpack = {
    zstd: zstdDecompressSync,
    br: brotliDecompressSync,
    gzip: gunzipSync,
    identity: (bytes: Uint8Array) => bytes,
  };

  test.each([
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip, br", "br"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["*", "zstd"],
    ["zstd;q=0, *", "br"],
    ["zstd;q=0, br;q=0, *", "gzip"],
    ["identity, gzip;q=0.5", "identity"],
    ["deflate", "identity"],
    ["gzip;q=nonsense", "identity"],
  ] as const)("Accept-Encoding: %s is answered in %s", async (accepted, encoding) => {
    const packed = await fetch(`${server.url}/v1/links`, {
      headers: { ...authorization, "Accept-Encoding": accepted },
      decompress: false,
    });
    const bytes = new Uint8Array(await packed.arrayBuffer());
    const links: unknown = JSON.parse(new TextDecoder().decode(unpack[encoding](bytes)));

    expect(packed.headers.get("content-encoding") ?? "identity").toBe(encoding);
    expect(packed.headers.get("vary")).toBe("Accept-Encoding");
    expect(packed.headers.get("content-length")).toBe(String(bytes.byteLength));
    expect(links).toEqual((await server.call("GET", "/links")).body);
  });

  test("small responses are not compressed, and each encoding has an equivalent tag", async () => {
    const small = await plain("/v1/workspaces", { ...authorization, "Accept-Encoding": "br" });
    const tags = await Promise.all(
      ["identity", "gzip", "br", "zstd"].map(
        async (encoding) =>
          (await plain("/v1/links", { ...authorization, "Accept-Encoding": encoding })).headers.get("etag") ?? "",
      ),
    );

    expect(small.headers.has("content-encoding")).toBe(false);
    expect(new Set(tags).size).toBe(4);
    for (const tag of tags) {
      const fields = { ...authorization, "Accept-Encoding": "gzip", "If-None-Match": tag };
      expect((await plain("/v1/links", fields)).status).toBe(304);
    }
  });
});

describe("pages", () => {
  const relationsOf = (headers: Headers): Record<string, string> =>
    Object.fromEntries(
      [...(headers.get("link") ?? "").matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url = "", name = ""]) => [
        name,
        url,
      ]),
    );
  /** Follows a relation from a path, and returns the ids of each page. */
  const follow = async (path: string, relation: string): Promise<string[][]> => {
    const pages: string[][] = [];
    for (let next: string | undefined = path; next !== undefined && pages.length < 10; ) {
      const { body, headers } = await server.call("GET", next);
      pages.push((body as { id: string }[]).map(({ id }) => id)); // A list of links.
      next = relationsOf(headers)[relation]?.replace("https://links.example.com/v1", "");
    }
    return pages;
  };
  const filter = "search=paged&showArchived=true&pageSize=3";

  test.each(["", "&page=1", "&sortBy=clicks", "&sortOrder=asc"])(
    "following next from /links?…%s returns every link once, with the same filters",
    async (order) => {
      const pages = await follow(`/links?${filter}${order}`, "next");

      expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
      expect(new Set(pages.flat()).size).toBe(7);
    },
  );

  test.each(["", "&page=1"])("following prev from the end of /links?…%s leads back to the beginning", async (order) => {
    const forth = await follow(`/links?${filter}${order}`, "next");
    const last = await server.call("GET", `/links?${filter}${order}`);
    let relations = relationsOf(last.headers);
    while (relations["next"] !== undefined) {
      const path: string = relations["next"].replace("https://links.example.com/v1", "");
      relations = relationsOf((await server.call("GET", path)).headers);
    }

    const back = await follow((relations["prev"] ?? "").replace("https://links.example.com/v1", ""), "prev");

    // A full first page has a previous page, which is empty.
    expect(back.filter((page) => page.length > 0).reverse()).toEqual(forth.slice(0, 2));
  });

  test("URLs are absolute and based on WAYPOST_URL, and the last page has no next link", async () => {
    const { headers } = await server.call("GET", "/links?search=paged&pageSize=100&workspaceId=1&tenantId=%26");

    expect(headers.get("link")).toBe(
      '<https://links.example.com/v1/links?search=paged&pageSize=100&workspaceId=1&tenantId=%26>; rel="first"',
    );
  });

  test.each(namedEndpoints.filter(([, { isPaged }]) => isPaged))("%s has a Link header", async (_, endpoint) => {
    const targets = await makeTargets(server);

    const [query, relations] = "page" in endpoint.querySchema.shape ? ["&page=2", ["first", "prev"]] : ["", ["first"]];
    const path = `${pathOf(endpoint, targets)}?${pageSizeName(endpoint)}=1${query}`;

    const { headers } = await server.call("GET", path);

    expect(Object.keys(relationsOf(headers)).slice(0, relations.length)).toEqual(relations);
  });

  /** The page size has another name for events, as in Dub's API. */
  const pageSizeName = ({ querySchema }: Endpoint) => ("pageSize" in querySchema.shape ? "pageSize" : "limit");

  test("every paged list declares isPaged", () => {
    const silent = namedEndpoints.filter(([, { querySchema, isPaged }]) => "pageSize" in querySchema.shape && !isPaged);

    expect(silent.map(([name]) => name)).toEqual([]);
  });
});
