/**
 * No field stores a URL that runs a script. The fields come from the OpenAPI document: those with a URL as their sample
 * or in their name, in every operation with a body. A new URL field is covered automatically.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { endpoints } from "../src/api/api.ts";
import { documentedFields } from "./support/documented-fields.ts";
import { linkSamples, type SampleObjects, samplesOf } from "./support/field-samples.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const scripts: readonly string[] = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(document.domain)",
  " \tjavascript:alert(1.5)",
  "\u0001javascript:alert(1.5)",
  "\u00a0javascript:alert(1.5)",
  "java\tscript:alert(1.5)",
  "java\r\nscript:alert(1.5)",
  "javascript\n:alert(1.5)",
  "javascript://example.com/%0aalert(1)",
  "data:text/html,<script>alert(1.5)</script>",
  "DATA:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
  "d\tata:text/html,<b>x.y</b>",
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1.5)'/>",
  "vbscript:msgbox(1.5)",
  "VBScript:msgbox(1.5)",
  "file:///etc/passwd",
  "blob:https://example.com/1",
];

const urlName = /url|image|video|logo|avatar|placeholder|^ios$|^android$/i;
const noObjects: SampleObjects = { tag: {}, folder: {}, slug: "example.com", linkId: "link_1" };

/** A field of an operation's body, and its sample, in which a URL is replaced. */
type UrlField = { name: string; holding(url: string): unknown };

function urlFields(fields: readonly string[], samples: typeof linkSamples): UrlField[] {
  return fields.flatMap((name) => {
    const sample = samples[name]?.value(noObjects);
    const hasUrl = JSON.stringify(sample ?? null).includes('"https://');
    if (!hasUrl && !urlName.test(name)) return [];
    return [{ name, holding: (url) => (hasUrl ? withUrl(sample, url) : url) }];
  });
}

/** Returns the sample with its first URL replaced, at any depth. */
function withUrl(sample: unknown, url: string): unknown {
  let isReplaced = false;
  return JSON.parse(JSON.stringify(sample), (_, value: unknown) => {
    if (isReplaced || typeof value !== "string" || !value.startsWith("https://")) return value;
    isReplaced = true;
    return url;
  });
}

let server: TestService;
const Objects = z.array(z.record(z.string(), z.unknown()));
const Created = z.object({ id: z.union([z.string(), z.int()]) });
let linkId = "";
let slug = "";
beforeAll(async () => {
  server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0", WAYPOST_APP_SCHEMES: "myapp" });
  slug = `${crypto.randomUUID()}.example.com`;
  await server.call("POST", "/domains", { body: { slug } });
  linkId = String(
    Created.parse((await server.call("POST", "/links", { body: { url: "https://example.com/" } })).body).id,
  );
});
afterAll(() => server.remove());

const linkPath = () => `/links/${linkId}`;
const base = { url: "https://example.com/" };

/** TABLE of requests to each operation with URLs. */
const calls: Record<string, { path(): string; inField?: string; body(changes: object): unknown }> = {
  createLink: { path: () => "/links", body: (changes) => ({ ...base, ...changes }) },
  createLinks: { path: () => "/links/bulk", body: (changes) => [{ ...base, ...changes }] },
  upsertLink: { path: () => "/links/upsert", body: (changes) => ({ ...base, ...changes }) },
  updateLink: { path: linkPath, body: (changes) => changes },
  putLink: { path: linkPath, body: (changes) => ({ ...base, ...changes }) },
  updateLinks: { path: () => "/links/bulk", inField: "data", body: (data) => ({ linkIds: [linkId], data }) },
  createDomain: { path: () => "/domains", body: (changes) => ({ slug: `new.${slug}`, ...changes }) },
  updateDomain: { path: () => `/domains/${slug}`, body: (changes) => changes },
  setWorkspaceAvatar: { path: () => "/workspaces/1/avatar", body: (changes) => changes },
};

/** Takes an image like setWorkspaceAvatar, but no API key; see user-avatars.test.ts. */
const needsSession = "setUserAvatar";

/** Bulk creation has the fields of a link, in a list. */
const fieldsOf = (operationId: string): UrlField[] => {
  const documented = operationId === "createLinks" ? "createLink" : operationId;
  const samples = samplesOf[operationId]?.samples ?? linkSamples;
  return urlFields(documentedFields(documented, calls[operationId]?.inField), samples);
};

test("the table covers every operation with a URL in its body", () => {
  const withUrls = endpoints
    .filter(({ bodySchema }) => bodySchema !== undefined)
    .map(({ operationId }) => operationId)
    .filter((operationId) => operationId in calls || fieldsOf(operationId).length > 0)
    .filter((operationId) => operationId !== needsSession);

  expect(withUrls.toSorted()).toEqual(Object.keys(calls).toSorted());
});

/** Bulk requests return a result for each link; an invalid image becomes null, as in Dub's API. */
function outcomeOf(body: unknown, field: string): string {
  const [object = {}] = Objects.parse(Array.isArray(body) ? body : [body]);
  return "error" in object ? "refused" : String(object[field]);
}

const table = Object.keys(calls).flatMap((operationId) =>
  fieldsOf(operationId).map(({ name, holding }) => ({ operationId, name, holding })),
);

test("the table covers every kind of URL field", () => {
  const names = new Set(table.map(({ name }) => name));

  for (const name of ["url", "expiredUrl", "ios", "android", "geo", "testVariants", "rules", "image", "video"]) {
    expect([name, names.has(name)]).toEqual([name, true]);
  }
  for (const name of ["notFoundUrl", "placeholder", "logo"]) expect([name, names.has(name)]).toEqual([name, true]);
});

test.each(table)("$operationId refuses scripts in $name", async ({ operationId, name, holding }) => {
  const { path, body } = calls[operationId] ?? { path: () => "", body: () => ({}) };
  const method = endpoints.find((endpoint) => endpoint.operationId === operationId)?.method.toUpperCase() ?? "";

  for (const script of scripts) {
    const answer = await server.call(method, path(), { body: body({ [name]: holding(script) }) });
    const outcome = answer.status === 422 ? "refused" : outcomeOf(answer.body, name);
    expect({ script, outcome, body: answer.body }).toMatchObject({
      outcome: expect.stringMatching(/^(refused|null)$/),
    });
  }
});
