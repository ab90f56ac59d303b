/**
 * The patterns of the OpenAPI document for header fields and colors, which the server agrees with, and the problems that
 * every operation describes.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dereference } from "@readme/openapi-parser";
import { z } from "zod";
import {
  allEndpoints,
  ask,
  exampleBody,
  expectRefusal,
  makeTargets,
  namedEndpoints,
  namesAnObject,
  type PlainAnswer,
  type Targets,
  urlOf,
} from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Parameter = z.object({ name: z.string(), in: z.string(), schema: z.object({ pattern: z.string().optional() }) });
const Problem = z.object({ schema: z.object({ required: z.array(z.string()) }), example: z.unknown() });
const Operation = z.object({
  parameters: z.array(Parameter).default([]),
  responses: z.record(
    z.string(),
    z.object({
      headers: z.looseObject({}).default({}),
      content: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

let server: TestService;
let targets: Targets;
let paths: Record<string, Record<string, z.output<typeof Operation>>>;

beforeAll(async () => {
  server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });
  targets = await makeTargets(server);
  const { text } = await ask(server, "GET", "/openapi.json");
  paths = z
    .object({ paths: z.record(z.string(), z.record(z.string(), Operation)) })
    .parse(await dereference(JSON.parse(text))).paths;
});
afterAll(() => server.remove());

const described = (path: string, method: string) => Operation.parse(paths[path]?.[method]);

/** The pattern of a parameter of an operation. */
function patternOf(path: string, method: string, name: string): RegExp {
  const { pattern } = described(path, method).parameters.find((parameter) => parameter.name === name)?.schema ?? {};
  if (pattern === undefined) throw new Error(`${method} ${path} describes no pattern for ${name}.`);
  return new RegExp(pattern, "u");
}

/** The values of a parameter that one operation accepts, with their statuses, and values that it refuses. */
type PatternCases = {
  path: string;
  method: "get" | "post" | "patch";
  accepted: [value: string, status: number][];
  refused: { values: string[]; status: number };
  call(value: string): Promise<PlainAnswer>;
};

const tags = (count: number) => Array.from({ length: count }, (_, index) => `"${index}"`).join(",");
const malformedTags = ["a", '"a', 'a"', '"a" "b"', '*, "a"', 'w/"a"', '"a b"', "'a'", tags(101)];
const malformedColors = ["red", "#12", "1234", "#12345", "1234567", "#ggg", "##fff", "rgb(0,0,0)"];
const colors: [string, number][] = ["#1a2", "1A2", "#1a2B3c", "1a2b3c", "#1a2b3c80"].map((color) => [color, 200]);

/** TABLE of the parameters with a pattern. */
const patterns: Record<string, PatternCases> = {
  "If-Match": {
    path: "/tags/{id}",
    method: "patch",
    accepted: [
      ["*", 200],
      ['"a"', 412],
      ['W/"a"', 412],
      ['"", "b" ,"c"', 412],
      [tags(100), 412],
    ],
    refused: { values: malformedTags, status: 400 },
    call: (value) => ask(server, "PATCH", `/tags/${targets.tagId}`, withHeader("If-Match", value, { color: "red" })),
  },
  "If-None-Match": {
    path: "/links/{linkId}",
    method: "get",
    accepted: [
      ["*", 304],
      ['"a"', 200],
      ['W/"a", "b"', 200],
      [tags(100), 200],
    ],
    refused: { values: malformedTags, status: 400 },
    call: (value) => ask(server, "GET", `/links/${targets.linkId}`, withHeader("If-None-Match", value)),
  },
  "Idempotency-Key": {
    path: "/tags",
    method: "post",
    accepted: [
      ["a", 201],
      ["3f1c9a52-5d0e-4c8e-9d57-0f3c2f4f7b11", 201],
      ["!~", 201],
      ["x".repeat(255), 201],
    ],
    refused: { values: ["a b", "a\tb", "é", "x".repeat(256)], status: 400 },
    call: (value) => ask(server, "POST", "/tags", withHeader("Idempotency-Key", value, { name: crypto.randomUUID() })),
  },
  ...Object.fromEntries(
    ["fgColor", "bgColor"].map((name) => [
      name,
      {
        path: "/qr",
        method: "get" as const,
        accepted: colors,
        refused: { values: malformedColors, status: 422 },
        call: (value: string) =>
          ask(server, "GET", `/qr?${new URLSearchParams({ url: "https://example.com/", [name]: value })}`),
      },
    ]),
  ),
};

function withHeader(name: string, value: string, body?: object) {
  return { headers: { [name]: value }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

describe.each(Object.entries(patterns))("%s", (name, { path, method, accepted, refused, call }) => {
  test.each(accepted)("%s matches the pattern, and the server accepts it", async (value, status) => {
    const isMatching = patternOf(path, method, name).test(value);

    const answer = await call(value);

    expect({ isMatching, status: answer.status }).toEqual({ isMatching: true, status });
  });

  test.each(refused.values)("%s does not match the pattern, and the server refuses it", async (value) => {
    const isMatching = patternOf(path, method, name).test(value);

    const answer = await call(value);

    expect(isMatching).toBe(false);
    expectRefusal(value, answer, [refused.status]);
  });
});

describe.each(namedEndpoints)("%s", (_, endpoint) => {
  test("has the same patterns for these headers, and refuses a value that does not match", async () => {
    for (const { name } of described(endpoint.path, endpoint.method).parameters) {
      const cases = patterns[name];
      if (cases === undefined) continue;
      const { path, method, refused } = cases;
      const own = patternOf(endpoint.path, endpoint.method, name);
      expect([name, own.source]).toEqual([name, patternOf(path, method, name).source]);
      if (name.endsWith("Color")) continue;

      const answer = await ask(server, endpoint.method.toUpperCase(), urlOf(endpoint, targets), {
        ...exampleBody(endpoint, targets),
        headers: { [name]: refused.values[0] ?? "" },
      });

      expectRefusal(name, answer, [refused.status]);
    }
  });
});

/** A tag of lists or reports of the owner may change between two requests, as when a key is used. */
const publicReads = namedEndpoints.filter(([, { method, scope }]) => method === "get" && scope === "none");

test.each(publicReads)("%s, which needs no key, answers its entity tag with 304", async (_, endpoint) => {
  const read = (headers: Record<string, string>) => ask(server, "GET", urlOf(endpoint, targets), { headers });

  const { headers } = await read({});
  const again = await read({ "If-None-Match": headers.get("etag") ?? "" });

  expect([again.status, again.text]).toEqual([304, ""]);
});

test.each(allEndpoints)("%s describes 431 with its body, and 404 if its path names an object", (_, endpoint) => {
  const { responses } = described(endpoint.path, endpoint.method);
  const example = (status: string) => Problem.parse(responses[status]?.content?.["application/json"]).example;

  expect(Object.keys(responses["431"]?.headers ?? {})).toEqual(["X-Request-Id"]);
  expect(example("431")).toMatchObject({ error: { code: "request_headers_too_large" } });
  if (namesAnObject(endpoint)) expect(example("404")).toMatchObject({ error: { code: "not_found" } });
});

test("a request with headers that are too long gets the described 431", async () => {
  const answer = await ask(server, "GET", "/links", { headers: { "X-Long": "x".repeat(17 * 1024) } });

  expectRefusal("17 KiB", answer, [431]);
});
