/**
 * Another tenant's ids in queries and bodies of every operation that accepts ids: they reveal nothing and change
 * nothing. The names come from the OpenAPI document; ids in paths are tested in access.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endpoints } from "../src/api/api.ts";
import type { Endpoint } from "../src/api/http/endpoint.ts";
import { openApiDocument } from "../src/api/http/openapi.ts";
import type { ApiDocument, JsonSchema } from "./support/generated-requests.ts";
import { ask, exampleBody, makeTargets, pathOf, type Targets, urlOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newMember, newTenant, type Tenant } from "./support/tenants.ts";

// The generator returns the type of any OpenAPI document; these are the parts that the tests use.
const document = openApiDocument(endpoints, new URL("http://localhost")) as ApiDocument;

/** TABLE of fields and parameters with ids, and the victim's object for each. */
const foreignValues: Record<string, (targets: Targets, canary: string) => unknown> = {
  linkId: ({ linkId }) => linkId,
  linkIds: ({ linkId }) => [linkId],
  externalId: (_, canary) => canary,
  externalIds: (_, canary) => [canary],
  tagId: ({ tagId }) => tagId,
  tagIds: ({ tagId }) => [tagId],
  tagNames: (_, canary) => [`tag-${canary}`],
  folderId: ({ folderId }) => folderId,
  shareId: ({ shareId }) => shareId,
  folderIds: ({ folderId }) => [folderId],
  domain: ({ slug }) => slug,
  domains: ({ slug }) => [slug],
  userId: ({ userId }) => userId,
  leave: ({ workspaceId }) => [Number(workspaceId)],
};

/** A field with an id: its operation, its position in the request, and its name. */
type IdField = { operationId: string; endpoint: Endpoint; in: "query" | "body"; inField?: string; name: string };

function idFieldsOf(endpoint: Endpoint): IdField[] {
  const operation = document.paths[endpoint.path]?.[endpoint.method];
  const base = { operationId: endpoint.operationId, endpoint };
  const inQuery = (operation?.parameters ?? []).filter((parameter) => parameter.in === "query");
  const body = resolved(operation?.requestBody?.content["application/json"].schema ?? {});
  const shallow = { ...resolved(body.items ?? {}).properties, ...body.properties };
  const deep = Object.entries(shallow).flatMap(([inField, schema]) =>
    Object.keys(resolved(schema).properties ?? {}).map((name) => ({ inField, name })),
  );
  return [
    ...inQuery.map(({ name }) => ({ ...base, in: "query" as const, name })),
    ...Object.keys(shallow).map((name) => ({ ...base, in: "body" as const, name })),
    ...deep.map((field) => ({ ...base, in: "body" as const, ...field })),
  ].filter(({ name }) => name in foreignValues);
}

function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : resolved(document.components.schemas[name] ?? {});
}

const idFields = endpoints.filter(({ scope }) => scope !== "session" && scope !== "none").flatMap(idFieldsOf);

test("many operations accept ids in queries and bodies", () => {
  const operations = new Set(idFields.map(({ operationId }) => operationId));

  for (const operationId of ["createLink", "createLinks", "updateLinks", "upsertLink", "listLinks", "createShare"]) {
    expect([operationId, operations.has(operationId)]).toEqual([operationId, true]);
  }
});

describe("another tenant's ids", () => {
  let server: TestService;
  let victim: Tenant;
  let targets: Targets;
  const canary = `canary-${crypto.randomUUID()}`;
  const attackers: { role: string; tenant: Tenant; own: Targets }[] = [];

  beforeAll(async () => {
    server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });
    victim = await newTenant(server);
    targets = await makeTargets(server, victim);
    await mark();
    const attacker = await newTenant(server);
    const own = await makeTargets(server, attacker);
    attackers.push({ role: "owner", tenant: attacker, own });
    for (const role of ["member", "viewer"] as const) {
      attackers.push({ role, tenant: await newMember(server, attacker.workspaceId, role), own });
    }
  });
  afterAll(() => server.remove());

  /** Gives the victim's objects names that no response to another tenant may contain. */
  async function mark(): Promise<void> {
    const key = victim.apiKey;
    const link = { title: canary, externalId: canary, url: `https://${canary}.example.com/`, tagIds: [targets.tagId] };
    const changes = [
      await server.call("PATCH", `/links/${targets.linkId}`, { key, body: { ...link, folderId: targets.folderId } }),
      await server.call("PATCH", `/tags/${targets.tagId}`, { key, body: { name: `tag-${canary}` } }),
      await server.call("PATCH", `/folders/${targets.folderId}`, { key, body: { name: canary } }),
    ];
    expect(changes.map(({ status }) => status)).toEqual([200, 200, 200]);
  }

  const lists = [
    "/links",
    "/tags",
    "/folders",
    "/domains",
    "/utm-templates",
    "/saved-views",
    "/shares",
    "/api-keys",
    "/notifications",
  ];
  async function victimsView(): Promise<unknown[]> {
    const paths = [...lists, `/workspaces/${victim.workspaceId}/members`, `/links/${targets.linkId}/history`];
    const answers = await Promise.all(paths.map((path) => server.call("GET", path, { key: victim.apiKey })));
    // The time of a key's last use changes with every request.
    return answers.map(({ status, body }) => [status, JSON.stringify(body).replace(/"lastUsedAt":"[^"]*"/g, "")]);
  }

  test.each(idFields.map((field) => ({ ...field, label: [field.in, field.inField, field.name].join(" ") })))(
    "$operationId: $label",
    async ({ endpoint, in: where, inField, name }) => {
      const before = await victimsView();

      for (const { role, tenant, own } of attackers) {
        const value = foreignValues[name]?.(targets, canary);
        const { path, body } = where === "query" ? inQuery(endpoint, own, name, value) : inBody(endpoint, own);
        const sent = where === "query" ? body : JSON.stringify(put(JSON.parse(body ?? "{}"), value));
        const headers = { Authorization: `Bearer ${tenant.apiKey}` };
        const answer = await ask(server, endpoint.method.toUpperCase(), path, {
          ...(sent === undefined ? {} : { body: sent }),
          headers,
        });
        // A refusal may repeat the sent values.
        const secrets = [targets.linkId, `https://${canary}.example.com`, `tag-${canary}`, `"${canary}"`];
        const shown = secrets.filter((text) => answer.text.includes(text) && !`${path} ${sent}`.includes(text));
        expect({ role, status: answer.status < 500, shown }).toEqual({ role, status: true, shown: [] });
      }

      expect(await victimsView()).toEqual(before);

      function put(example: unknown, value: unknown): unknown {
        if (Array.isArray(example)) return example.map((item) => put(item, value));
        const object = Object(example) as Record<string, unknown>;
        if (inField === undefined) return { ...object, [name]: value };
        return { ...object, [inField]: { ...Object(object[inField]), [name]: value } };
      }
    },
  );

  function inQuery(endpoint: Endpoint, own: Targets, name: string, value: unknown) {
    const text = encodeURIComponent(String(Array.isArray(value) ? value[0] : value));
    return { path: `${pathOf(endpoint, own)}?${name}=${text}`, body: exampleBody(endpoint, own).body };
  }

  function inBody(endpoint: Endpoint, own: Targets) {
    return { path: urlOf(endpoint, own), body: exampleBody(endpoint, own).body };
  }
});
