/** The OpenAPI document describes the real operations. The page that shows it: tests/reference-page.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dereference, validate } from "@readme/openapi-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import type { Endpoint } from "../src/api/http/endpoint.ts";
import { namesWorkspace } from "../src/api/http/openapi.ts";
import { problemStatus } from "../src/base/problem.ts";
import { sampleFields } from "./support/field-samples.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import {
  allEndpoints,
  ask,
  exampleBody,
  jsonEndpoints,
  namedEndpoints,
  openCallContexts,
  urlOf,
} from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Content = z.object({ "application/json": z.object({ schema: z.unknown(), example: z.unknown() }) });
const Operation = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  tags: z.array(z.string()).min(1),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), schema: z.object({ example: z.unknown().optional() }) }))
    .default([]),
  requestBody: z.object({ required: z.literal(true), content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.object({
      description: z.string().min(1),
      headers: z.record(z.string(), z.object({ description: z.string().min(1) })),
      content: Content.optional(),
    }),
  ),
});
const Parameters = Operation.pick({ parameters: true });
const Document = z.object({
  openapi: z.string(),
  servers: z.array(z.object({ url: z.url() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  // Operations with a JSON response are checked one by one.
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
});

/** Fails if the value does not match the schema, or has fields that the schema does not name. */
function expectExactly(what: string, schema: z.ZodType, value: unknown): void {
  const { data, error } = schema.safeParse(value);
  expect({ what, value, issues: error?.issues ?? [] }).toEqual({ what, value, issues: [] });
  expect({ what, value }).toEqual({ what, value: data });
}

let mailServer: MailServer;
let server: TestService;
let text: string;
let document: z.output<typeof Document>;
let contextFor: Awaited<ReturnType<typeof openCallContexts>>;

beforeAll(async () => {
  // Example links name no domain. On the pending primary domain of their workspace, their keys are free.
  mailServer = await startMailServer();
  server = await startService({
    ...{ WAYPOST_RATE_LIMIT_PER_MINUTE: "0", WAYPOST_UNVERIFIED_REDIRECTS: "true" },
    WAYPOST_SMTP_URL: mailServer.url,
  });
  const answer = await ask(server, "GET", "/openapi.json", { headers: { Authorization: "" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
  text = answer.text;
  document = Document.parse(await dereference(JSON.parse(text)));
  contextFor = await openCallContexts(server);
});

afterAll(async () => {
  await server.remove();
  await mailServer.close();
});

describe("/v1/openapi.json", () => {
  test("is valid OpenAPI 3.1 for two independent validators", async () => {
    const structure = await new Validator().validate(JSON.parse(text));
    const references = await validate(JSON.parse(text));

    expect(structure).toEqual({ valid: true });
    expect(references).toMatchObject({ valid: true, warnings: [] });
    expect(document.openapi).toStartWith("3.1");
  });

  test("is not sent again to a client that has it", async () => {
    const first = await fetch(`${server.url}/v1/openapi.json`);
    await first.arrayBuffer();

    const again = await fetch(`${server.url}/v1/openapi.json`, {
      headers: { "If-None-Match": first.headers.get("ETag") ?? "" },
    });

    expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: "" });
  });

  test("names the URL of the server, and the key that every operation needs", () => {
    expect(document.servers.map(({ url }) => new URL(url).pathname)).toEqual(["/v1"]);
    expect(document.security).toEqual([{ apiKey: [] }]);
  });

  test("has every endpoint once, and no other path", () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );

    expect(described.sort()).toEqual(allEndpoints.map(([name, { operationId }]) => `${name} ${operationId}`).sort());
    expect(new Set(allEndpoints.map(([, { operationId }]) => operationId)).size).toBe(allEndpoints.length);
  });
});

describe.each(jsonEndpoints)("%s", (_, endpoint) => {
  const described = () => Operation.parse(document.paths[endpoint.path]?.[endpoint.method]);

  test("its examples match its schemas", () => {
    const { requestBody, responses, parameters } = described();
    const answer = responses[endpoint.status]?.content?.["application/json"].example;
    expectExactly("answer", endpoint.responseSchema, answer);
    if (endpoint.bodySchema !== undefined) {
      const body = requestBody?.content["application/json"].example;
      expect({ body, issues: endpoint.bodySchema.safeParse(body).error?.issues }).toEqual({ body, issues: undefined });
    }
    const written = parameters.filter((parameter) => parameter.in !== "header" && "example" in parameter.schema);
    for (const { name, in: place, schema } of written) {
      const { example } = schema;
      const field = (place === "path" ? endpoint.pathSchema : endpoint.querySchema).shape[name];
      // The workspaceId of every operation is read before the schemas apply.
      if (name === "workspaceId") continue;
      const { error } = z.object({ [name]: field ?? z.never() }).safeParse({ [name]: String(example) });
      expect({ name, example, issues: error?.issues }).toEqual({ name, example, issues: undefined });
    }
  });

  test("every parameter of its schemas is described, and so is workspaceId", () => {
    const names = [
      ...Object.keys(endpoint.pathSchema.shape).map((name) => `path ${name}`),
      ...[...(namesWorkspace(endpoint.path) ? [] : ["workspaceId"]), ...Object.keys(endpoint.querySchema.shape)].map(
        (name) => `query ${name}`,
      ),
    ];

    expect(
      described()
        .parameters.filter(({ in: place }) => place !== "header")
        .map(({ in: place, name }) => `${place} ${name}`)
        .sort(),
    ).toEqual(names.sort());
  });

  test("its request and response headers are described", () => {
    const { parameters, responses } = described();
    const isChange = ["patch", "put", "delete"].includes(endpoint.method);
    const hasReader = namedEndpoints.some(([, { method, path }]) => method === "get" && path === endpoint.path);
    const reads: string[] = [
      ...(endpoint.method === "get" ? ["If-None-Match"] : []),
      ...(endpoint.method === "post" ? ["Idempotency-Key"] : []),
      ...(isChange && hasReader ? ["If-Match"] : []),
    ];

    expect(parameters.filter(({ in: place }) => place === "header").map(({ name }) => name)).toEqual(reads);
    for (const [status, { headers }] of Object.entries(responses)) {
      expect([status, Object.keys(headers)]).toEqual([status, expect.arrayContaining(["X-Request-Id"])]);
    }
    const done = Object.keys(responses[endpoint.status]?.headers ?? {});
    expect(done).toEqual(expect.arrayContaining(["RateLimit-Remaining", "X-RateLimit-Remaining"]));
    expect(done.includes("ETag") || endpoint.method !== "get").toBe(true);
    expect(Object.keys(responses["429"]?.headers ?? {})).toContain("Retry-After");
  });

  test("its problems are described with the code of the status", () => {
    const { responses } = described();
    const { [String(endpoint.status)]: _done, 304: _unchanged, ...refusals } = responses;
    for (const [status, { content }] of Object.entries(refusals)) {
      const { error } = z
        .object({ error: z.object({ code: z.enum(Object.keys(problemStatus)) }) })
        .parse(content?.["application/json"].example);
      const statusOfCode = Object.entries(problemStatus).find(([code]) => code === error.code)?.[1];
      expect({ status, code: error.code, statusOfCode: String(statusOfCode) }).toEqual({
        status,
        code: error.code,
        statusOfCode: status,
      });
    }
    for (const status of ["400", "401", "403", "404", "422", "429", "431"])
      expect(Object.keys(refusals)).toContain(status);
  });

  test("the response of the server matches the schema, without other fields", async () => {
    const { tenant, targets } = await contextFor(endpoint);

    const { status, text: answer } = await ask(server, endpoint.method.toUpperCase(), urlOf(endpoint, targets), {
      ...exampleBody(endpoint, targets),
      headers: { Authorization: `Bearer ${tenant.apiKey}` },
    });

    expect({ status, answer: status === endpoint.status ? "" : answer }).toEqual({
      status: endpoint.status,
      answer: "",
    });
    expectExactly("live answer", endpoint.responseSchema, JSON.parse(answer));
  });
});

test("an export of clicks is described with its media types and headers, and without an entity tag", () => {
  const described = z
    .object({
      parameters: z.array(z.object({ name: z.string(), in: z.string() })),
      responses: z.record(z.string(), z.object({ headers: z.looseObject({}), content: z.looseObject({}) })),
    })
    .parse(document.paths["/events/export"]?.["get"]);

  const { headers = {}, content = {} } = described.responses["200"] ?? {};
  expect(Object.keys(content)).toEqual(["text/csv", "application/jsonl", "application/vnd.apache.parquet"]);
  expect(Object.keys(headers)).toEqual(expect.arrayContaining(["X-Request-Id", "Content-Disposition", "X-Clicks"]));
  expect(Object.keys(headers)).not.toContain("ETag");
  expect(described.parameters.filter(({ in: place }) => place === "header")).toEqual([]);
  expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(["401", "403", "404", "422", "429", "503"]));
});

test("live events are described as a stream that Last-Event-ID resumes, with an example and without an entity tag", () => {
  const described = z
    .object({
      parameters: z.array(z.object({ name: z.string(), in: z.string() })),
      responses: z.record(z.string(), z.object({ headers: z.looseObject({}), content: z.looseObject({}) })),
    })
    .parse(document.paths["/events/live"]?.["get"]);

  const { headers = {}, content = {} } = described.responses["200"] ?? {};
  const example = expect.stringMatching(/^id: \S+\ndata: \{.*\}\n\n$/);
  expect(content).toMatchObject({ "text/event-stream": { example } });
  expect(Object.keys(headers)).toEqual(expect.arrayContaining(["X-Request-Id", "RateLimit-Remaining"]));
  expect(["ETag", "X-Clicks"].filter((name) => name in headers)).toEqual([]);
  const read = described.parameters.filter(({ in: place }) => place === "header").map(({ name }) => name);
  expect(read).toEqual(["Last-Event-ID"]);
  expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(["401", "403", "404", "422", "429", "503"]));
});

/** TABLE of parameters that a parameter requires: a key needs a domain, and an end needs an earlier start. */
const besides: Record<string, Record<string, string>> = { key: { domain: "a.example" }, end: { start: "2026-11-01" } };

test.each(namedEndpoints)("%s accepts the example of each parameter", async (_, endpoint) => {
  const { tenant, targets } = await contextFor(endpoint);
  const { parameters } = Parameters.parse(document.paths[endpoint.path]?.[endpoint.method]);
  const path = urlOf(endpoint, targets);
  for (const { name, in: place, schema } of parameters) {
    // The example of a share's password belongs to another share.
    if (place === "path" || (place === "header" && endpoint.scope === "none")) continue;
    // Required parameters are already in the path, and the example's workspace belongs to another tenant.
    if (schema.example === undefined || path.includes(`${name}=`) || name === "workspaceId") continue;
    const parameters = new URLSearchParams({
      ...(place === "query" && { [name]: String(schema.example) }),
      ...besides[name],
    });
    const query = parameters.size === 0 ? "" : `${path.includes("?") ? "&" : "?"}${parameters}`;

    const { status, text: answer } = await ask(server, endpoint.method.toUpperCase(), path + query, {
      ...exampleBody(endpoint),
      headers: {
        Authorization: `Bearer ${tenant.apiKey}`,
        ...(place === "header" ? { [name]: String(schema.example) } : {}),
      },
    });

    // An example may name a missing object, or an earlier version of an object.
    const understood = place === "header" ? [endpoint.status, 404, 412] : [endpoint.status, 404];
    expect({ name, status, answer, isUnderstood: understood.includes(status) }).toMatchObject({
      isUnderstood: true,
    });
  }
});

const Example = z.looseObject({ example: z.unknown() });
const Bodied = z.object({ requestBody: z.object({ content: z.object({ "application/json": z.unknown() }) }) });

test.each(namedEndpoints.filter(([, { bodySchema }]) => bodySchema !== undefined))(
  "%s accepts the example of each field of its body",
  async (_, endpoint) => {
    const { requestBody } = Bodied.parse(document.paths[endpoint.path]?.[endpoint.method]);
    const { schema, example } = z
      .object({
        schema: z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }),
        example: z.unknown(),
      })
      .parse(requestBody.content["application/json"]);
    for (const [name, property] of Object.entries(schema.properties)) {
      const { data } = Example.safeParse(property);
      if (data?.example === undefined) continue;
      const { tenant, targets } = await contextFor(endpoint);
      const whole = z.record(z.string(), z.unknown()).parse(example);
      const body = JSON.stringify({ ...whole, [name]: data.example });

      const { status, text: answer } = await ask(server, endpoint.method.toUpperCase(), urlOf(endpoint, targets), {
        body,
        headers: { Authorization: `Bearer ${tenant.apiKey}` },
      });

      // An example may name a missing object: 403 for a domain.
      const understood = name === "domain" ? [endpoint.status, 403] : [endpoint.status, 404];
      expect({ name, status, answer, isUnderstood: understood.includes(status) }).toMatchObject({ isUnderstood: true });
    }
  },
);

test("a tag can be created with the deprecated name of its field, and the reference describes it", async () => {
  const { schema } = z
    .object({ schema: z.object({ required: z.array(z.string()), properties: z.looseObject({ tag: z.unknown() }) }) })
    .parse(Bodied.parse(document.paths["/tags"]?.["post"]).requestBody.content["application/json"]);

  const made = await server.call("POST", "/tags", { body: { tag: "Old name" } });

  expect(schema.required).toEqual([]);
  expect(schema.properties.tag).toBeDefined();
  expect(made).toMatchObject({ status: 201, body: { name: "Old name" } });
});

test("links, domains and keys with all fields set match their schemas", async () => {
  const full = {
    "POST /links": {
      ...sampleFields(),
      ...{ url: "https://example.com/", key: "full", password: "secret", webhookIds: [], ref: "f" },
      // Each end is after its start.
      ...{ expiresAt: "2999-01-01", testCompletedAt: "2999-01-01", tagIds: [], folderId: "" },
    },
    "POST /domains": {
      ...{
        slug: "full.example.com",
        placeholder: "https://p.example",
        expiredUrl: "https://example.com/e",
        archived: true,
      },
      ...{ notFoundUrl: "https://example.com/n", logo: "https://example.com/l.png", assetLinks: "[]" },
      ...{ appleAppSiteAssociation: "{}", honorDoNotTrack: true, caseSensitive: true },
      ...{ httpsRedirect: false, hstsMaxAgeSeconds: 86_400 },
    },
    "POST /api-keys": { name: "full", scopes: ["links.read"], expiresAt: "2999-01-01T00:00:00Z" },
  };
  for (const [name, body] of Object.entries(full)) {
    const endpoint = endpointOf(name);

    const { status, text: answer } = await ask(server, "POST", endpoint.path, { body: JSON.stringify(body) });

    expect({ name, status, answer: status === endpoint.status ? "" : answer }).toEqual({
      name,
      status: endpoint.status,
      answer: "",
    });
    expectExactly(name, endpoint.responseSchema, JSON.parse(answer));
  }
});

function endpointOf(name: string): Endpoint {
  const endpoint = namedEndpoints.find(([known]) => known === name)?.[1];
  if (endpoint === undefined) throw new Error(`There is no ${name}.`);
  return endpoint;
}
