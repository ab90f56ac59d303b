/**
 * Invalid bodies. Every endpoint with a body refuses them with a problem, never with a 5xx, and leaves every row of the
 * database unchanged.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { endpoints } from "../src/api/api.ts";
import type { Endpoint } from "../src/api/http/endpoint.ts";
import { openApiDocument } from "../src/api/http/openapi.ts";
import { engines } from "./support/databases.ts";
import {
  ask,
  exampleBody,
  expectRefusal,
  makeTargets,
  namedEndpoints,
  type PlainRequest,
  pathOf,
  type Targets,
} from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { changesBetween, openSnapshots, type Snapshot, type SnapshotReader } from "./support/snapshot.ts";

/** A depth of nesting beyond the limit. */
const deep = 40;
const bytes = (...values: (string | number[])[]) =>
  new Uint8Array(Buffer.concat(values.map((value) => Buffer.from(value as string))));

/**
 * TABLE of bodies that are invalid for every operation, and the allowed statuses. body-limits.test.ts sends long ones.
 */
const badBodies: [string, PlainRequest, number[]][] = [
  ["no body at all", { body: "" }, [400]],
  ["malformed JSON", { body: "{name: 'x'}" }, [400]],
  ["truncated JSON", { body: '{"name": "x", "url": "https://exam' }, [400]],
  ["two values", { body: "{} {}" }, [400]],
  ["bytes that are not UTF-8", { body: bytes('{"name":"', [0xc3, 0x28, 0xff], '"}') }, [400]],
  ["UTF-16", { body: new Uint8Array(Buffer.from('{"name":"x"}', "utf16le")) }, [400]],
  ["a list", { body: "[]" }, [422]],
  ["a list of objects", { body: '[{"name":"x","url":7}]' }, [422]],
  ["a text", { body: '"x"' }, [422]],
  ["a number", { body: "7" }, [422]],
  ["an infinite number", { body: "1e999" }, [422]],
  ["null", { body: "null" }, [422]],
  ["true", { body: "true" }, [422]],
  ["a NUL in a text", { body: '{"name":"a\\u0000b"}' }, [422]],
  ["a NUL in a name", { body: '{"a\\u0000b":1}' }, [422]],
  ["an unpaired surrogate", { body: '{"name":"\\ud800"}' }, [422]],
  ["a nested unpaired surrogate", { body: '{"a":[{"b":["\\udc00x"]}]}' }, [422]],
  ["unclosed nesting", { body: '{"a":'.repeat(deep) }, [400]],
  ["nested objects", { body: `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}` }, [422]],
  ["nested lists", { body: `{"a":${"[".repeat(deep)}${"]".repeat(deep)}}` }, [422]],
  ["nesting beyond the limit", { body: "[".repeat(100_000) }, [413]],
  ["text/plain", { body: "{}", headers: { "Content-Type": "text/plain" } }, [415]],
  ["a form", { body: "name=x", headers: { "Content-Type": "application/x-www-form-urlencoded" } }, [415]],
  ["JSON of another kind", { body: "{}", headers: { "Content-Type": "application/jsonp" } }, [415]],
  ["no content type", { body: bytes("{}"), headers: { "Content-Type": "" } }, [415]],
];

/** One value of each JSON type, as JSON text. generated-requests.test.ts sends unusual values of each type. */
const valuesByType: Record<string, string> = {
  string: '"x"',
  number: "7.5",
  boolean: "true",
  object: '{"a":1}',
  array: "[1]",
  null: "null",
};

/** TABLE of values of the right type that are invalid for their field. */
const badValues: [string, string, Record<string, unknown> | unknown[], number[]][] = [
  ["POST", "/links", { url: `https://example.com/${"a".repeat(100_000)}` }, [422]],
  ["POST", "/links", { url: "https://example.com", key: "k".repeat(100_000) }, [422]],
  ["POST", "/links", { url: "https://example.com", prefix: "k".repeat(100_000) }, [422]],
  ["POST", "/links", { url: "https://example.com", domain: "k".repeat(100_000) }, [422]],
  ["POST", "/links", { url: "https://example.com", domain: "nobody.example.com" }, [403]],
  ["POST", "/links", { url: "https://example.com", keyLength: 2 }, [422]],
  ["POST", "/links", { url: "https://example.com", keyLength: 191 }, [422]],
  ["POST", "/links", { url: "https://example.com", redirectStatus: 303 }, [422]],
  ["POST", "/links", { url: "https://example.com", expiresAt: "+275760-09-13" }, [422]],
  ["POST", "/links", { url: "https://example.com", expiresAt: "tomorrow" }, [422]],
  ["POST", "/links", { url: "https://example.com", geo: { constructor: "https://example.com" } }, [422]],
  ["POST", "/links", { url: "https://example.com", geo: { toString: "https://example.com" } }, [422]],
  ["POST", "/links", { url: "https://example.com", tagIds: ["nothing"] }, [422]],
  ["POST", "/links", { url: "https://example.com", tagIds: Array(4_000).fill("x") }, [422]],
  ["POST", "/links", { url: "https://example.com", password: "p".repeat(100_000) }, [422]],
  ["POST", "/links", JSON.parse('{"url": "https://example.com", "geo": {"__proto__": "https://example.com"}}'), [422]],
  [
    "POST",
    "/links",
    JSON.parse('{"url": "https://example.com", "geo": {"__proto__": {"DE": "https://example.com"}}}'),
    [422],
  ],
  ["POST", "/links", { url: "https://example.com", maxClicks: 0 }, [422]],
  ["POST", "/links", { url: "https://example.com", forwardPath: "yes" }, [422]],
  ["POST", "/links", { url: "https://example.com", rules: [{ when: {}, url: "a.example" }] }, [422]],
  ["POST", "/links", { url: "https://example.com", rules: [{ when: { coutry: "DE" }, url: "a.example" }] }, [422]],
  [
    "POST",
    "/links",
    JSON.parse('{"url": "https://a.example", "rules": [{"when": {"query": {"__proto__": "x"}}, "url": "a.example"}]}'),
    [422],
  ],
  ["POST", "/links/bulk", [], [422]],
  ["POST", "/links/bulk", Array(101).fill({ url: "https://example.com" }), [422]],
  ["POST", "/links/bulk", [{ url: "https://example.com" }, { url: 7 }], [422]],
  ["POST", "/links/bulk", Array(2).fill({ url: "https://example.com", key: "twice" }), [400]],
  ["PATCH", "/links/bulk", { data: { archived: true } }, [422]],
  ["PATCH", "/links/bulk", { linkIds: ["link_x"] }, [422]],
  ["PATCH", "/links/bulk", { linkIds: ["link_x"], data: { tagIds: ["nothing"] } }, [422]],
  ["PATCH", "/links/bulk", { linkIds: Array(101).fill("link_x"), data: {} }, [422]],
  ["POST", "/links/undo", { changes: [] }, [422]],
  ["POST", "/links/undo", { changes: [{ linkId: "link_x" }] }, [422]],
  ["POST", "/links/undo", { changes: [{ linkId: "link_x", updatedAt: "yesterday" }] }, [422]],
  ["POST", "/links/undo", { changes: Array(101).fill({ linkId: "link_x", updatedAt: "2026-11-20" }) }, [422]],
  ["POST", "/links", { url: "https://example.com", comments: "c".repeat(100_000) }, [422]],
  ["POST", "/links", { url: "https://example.com", externalId: "e".repeat(256) }, [422]],
  ["POST", "/links", { url: "" }, [400]],
  ["POST", "/links", { url: "javascript:alert(1)" }, [422]],
  ["POST", "/links", { url: "https://[" }, [422]],
  ["POST", "/links", {}, [422]],
  ["POST", "/domains", { slug: `${"a".repeat(100_000)}.com` }, [422]],
  ["POST", "/domains", { slug: "no domain" }, [422]],
  ["POST", "/domains", { slug: "a.example.com", assetLinks: "{" }, [422]],
  ["POST", "/domains", { slug: "a.example.com", notFoundUrl: "javascript:alert(1)" }, [422]],
  ["POST", "/domains", { slug: "a.example.com", logo: "data:text/html;base64,AAAA" }, [422]],
  ["POST", "/domains", {}, [422]],
  ["POST", "/api-keys", { name: "x", scopes: ["everything"] }, [422]],
  ["POST", "/api-keys", { name: "x", scopes: [] }, [422]],
  ["POST", "/api-keys", { name: "x", expiresAt: "never" }, [422]],
  ["POST", "/api-keys", { name: "x", expiresAt: "2020-01-01" }, [422]],
  ["POST", "/api-keys", {}, [422]],
];

type JsonSchema = { type?: string | string[]; properties?: Record<string, JsonSchema>; $ref?: string };
type Operation = { requestBody?: { content: { "application/json": { schema: JsonSchema } } } };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
};

// The generator returns the type of any OpenAPI document; these are the parts that the tests use.
const document = openApiDocument(endpoints, new URL("http://localhost")) as Document;

/** Every field of an endpoint's body with JSON texts of the types that the reference does not allow. */
function misfits({ method, path }: Endpoint): [string, string][] {
  const schema = document.paths[path]?.[method]?.requestBody?.content["application/json"].schema;
  const body = schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
  return Object.entries(body?.properties ?? {}).flatMap(([field, { type = [] }]) => {
    const own = [type].flat().map((name) => (name === "integer" ? "number" : name));
    expect({ field, isTyped: own.length > 0 }).toEqual({ field, isTyped: true });
    const others = Object.entries(valuesByType).filter(([name]) => !own.includes(name));
    return others.map(([, value]): [string, string] => [field, value]);
  });
}

const writing = namedEndpoints.filter(([, { bodySchema }]) => bodySchema !== undefined);

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let targets: Targets;
    let snapshots: SnapshotReader;
    let before: Snapshot;

    beforeAll(async () => {
      server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, engine);
      targets = await makeTargets(server);
      snapshots = await openSnapshots(server);
    });

    beforeEach(async () => {
      before = await snapshots.read();
    });

    afterAll(async () => {
      await snapshots.close();
      await server.remove();
    });

    describe.each(writing)("%s", (_, endpoint) => {
      const method = endpoint.method.toUpperCase();
      const withBody = async (request: PlainRequest) => await ask(server, method, pathOf(endpoint, targets), request);

      test.each(badBodies)("refuses %s and writes nothing", async (_, request, statuses) => {
        const input = { ...request, body: String(request.body).slice(0, 100) };

        expectRefusal(input, await withBody(request), statuses);

        expect(changesBetween(before, await snapshots.read())).toEqual([]);
      });

      test("refuses every field whose type differs from the reference, and writes nothing", async () => {
        const { body = "{}" } = exampleBody(endpoint);
        const example: Record<string, unknown> = JSON.parse(body);
        for (const [field, value] of misfits(endpoint)) {
          // As text, because JavaScript cannot represent such numbers.
          const rest = JSON.stringify({ ...example, [field]: undefined }).slice(1, -1);
          const text = `{${rest}${rest === "" ? "" : ","}${JSON.stringify(field)}:${value}}`;

          const answer = await withBody({ body: text });

          expectRefusal(text, answer, [422]);
          expect({ text, message: answer.text }).toEqual({ text, message: expect.stringContaining(field) });
        }
        expect(changesBetween(before, await snapshots.read())).toEqual([]);
      });
    });

    for (const [method, path, body, statuses] of badValues) {
      const text = JSON.stringify(body);
      test(`${method} ${path} refuses an invalid value and writes nothing: ${text.slice(0, 70)}`, async () => {
        expectRefusal(text.slice(0, 300), await ask(server, method, path, { body: text }), statuses);

        expect(changesBetween(before, await snapshots.read())).toEqual([]);
      });
    }

    test("names of Object.prototype are unknown fields", async () => {
      const hostile =
        '{"__proto__":{"role":"owner","name":1},"constructor":{"prototype":{"name":1}},"hasOwnProperty":1';
      for (const [name, endpoint] of writing.filter(([, { method }]) => method === "patch" || method === "put")) {
        const answer = await ask(server, endpoint.method.toUpperCase(), pathOf(endpoint, targets), {
          body: `${hostile}}`,
        });

        expect({ name, status: answer.status }).toEqual({ name, status: 422 });
      }
      expect(changesBetween(before, await snapshots.read())).toEqual([]);
    });

    test("the server still answers, and has logged no internal error", async () => {
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(server.output()).not.toContain('"level":"error"');
    });
  });
}
