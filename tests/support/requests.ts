import { expect } from "bun:test";
import { z } from "zod";
import { scopes } from "../../src/access/actor.ts";
import { endpoints } from "../../src/api/api.ts";
import type { Endpoint } from "../../src/api/http/endpoint.ts";
import { problemStatus } from "../../src/base/problem.ts";
import { connectionFor, ownerKey, type TestService } from "./server.ts";
import { newMember, newTenant, type Tenant } from "./tenants.ts";

/** A response of the API before it is parsed. */
export type PlainAnswer = { status: number; headers: Headers; text: string };

export type PlainRequest = { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> };

/** Every endpoint with its method and path as a name for tests. */
export const allEndpoints: [string, Endpoint][] = endpoints.map((endpoint) => [
  `${endpoint.method.toUpperCase()} ${endpoint.path}`,
  endpoint,
]);

/** The endpoints that programs can call. The others need a session and have separate tests. */
export const namedEndpoints = allEndpoints.filter(([, { scope }]) => scope !== "session");

/** The endpoints that need a key with a scope. */
export const keyedEndpoints = namedEndpoints.filter(([, { scope }]) => scopes.some((known) => known === scope));

/** The endpoints that need a key and return JSON. */
export const jsonEndpoints = namedEndpoints.filter(
  ([, { scope, contentTypes }]) => scope !== "none" && contentTypes === undefined,
);

/**
 * Sends a request below /v1 as the owner, with the JSON content type if it has a body. `headers` override the default
 * ones, and "" removes a header.
 */
export async function ask(
  server: TestService,
  method: string,
  path: string,
  { headers = {}, body }: PlainRequest = {},
) {
  const all = {
    Authorization: `Bearer ${ownerKey}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
  const response = await fetch(`${server.url}/v1${path}`, {
    ...connectionFor(method),
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await textOf(response) };
}

/** Returns the body; "" for an event stream, which does not end. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream") return await response.text();
  await response.body?.cancel();
  return "";
}

const Refusal = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string().min(1), doc_url: z.url() }),
});

/** Returns the status and the code of a problem as one text. */
export function refusalOf({ status, body }: { status: number; body: unknown }): string {
  return `${status} ${Refusal.parse(body).error.code}`;
}

/** The exact response of the timeseries. */
export const Points = z.array(z.strictObject({ start: z.string(), clicks: z.int() }));

/** The exact response of the count of clicks. */
export const Report = z.strictObject({
  groupBy: z.string(),
  interval: z.string(),
  start: z.string(),
  end: z.string(),
  clicks: z.int(),
  data: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
});

/** Fails unless the response is a problem with one of the statuses, and its code belongs to that status. */
export function expectRefusal(input: unknown, { status, headers, text }: PlainAnswer, statuses: number[]): void {
  const seen = { input, answer: text.slice(0, 300) };
  expect({ ...seen, status, isExpected: statuses.includes(status) }).toEqual({ ...seen, status, isExpected: true });
  expect({ ...seen, type: headers.get("content-type") }).toEqual({ ...seen, type: "application/json" });
  expect({ ...seen, hasId: headers.has("x-request-id") }).toEqual({ ...seen, hasId: true });
  const { error } = Refusal.parse(JSON.parse(text));
  const statusOfCode: number | undefined = Object.entries(problemStatus).find(([code]) => code === error.code)?.[1];
  expect({ ...seen, code: error.code, statusOfCode }).toEqual({ ...seen, code: error.code, statusOfCode: status });
}

/** Returns the path of an endpoint with values for its parameters. The kind of `id` depends on the path's beginning. */
export function pathOf({ path }: Pick<Endpoint, "path">, values: SomeTargets | string): string {
  return path.replaceAll(parameterPattern, (_, name: string) => {
    const value = typeof values === "string" ? values : values[targetOf(path, name)];
    if (value === undefined) throw new Error(`The tests have no value for {${name}} of ${path}.`);
    return encodeURIComponent(value);
  });
}

const parameterPattern = /\{(\w+)\}/g;

/** TABLE of the targets that `{id}` stands for, by the first segment of the path. */
const idTargets: Record<string, TargetName> = {
  "api-keys": "keyId",
  "domains-v2": "domainId",
  "saved-views": "viewId",
  "utm-templates": "templateId",
  folders: "folderId",
  notifications: "notificationId",
  shares: "shareId",
  tags: "tagId",
};

/** The target that a parameter of a path stands for. */
function targetOf(path: string, parameter: string): TargetName {
  const name = parameter === "id" ? idTargets[path.split("/")[1] ?? ""] : parameter;
  const target = targetNames.find((known) => known === name);
  if (target === undefined) throw new Error(`The tests make nothing for {${parameter}} of ${path}.`);
  return target;
}

/** TABLE of operations whose valid requests need a query, and the target in it. */
const queries: Record<string, { target?: TargetName; text: (value: string) => string }> = {
  findLink: { target: "linkId", text: (id) => `?linkId=${id}` },
  deleteWorkspace: { target: "workspaceName", text: (name) => `?confirm=${encodeURIComponent(name)}` },
  deleteLinks: { target: "linkId", text: (id) => `?linkIds=${id}` },
  checkKey: { text: () => "?key=unused" },
  // No request leaves the machine for a private address.
  getMetatags: { text: () => "?url=http://127.0.0.1/" },
  getQrCode: { text: () => "?url=https://example.com/" },
};

/** Returns the path of a valid request to an endpoint, with the query that it requires. */
export function urlOf(endpoint: Endpoint, targets: SomeTargets): string {
  const { target, text = () => "" } = queries[endpoint.operationId] ?? {};
  return pathOf(endpoint, targets) + text(target === undefined ? "" : (targets[target] ?? ""));
}

/** The targets that a valid request to an endpoint needs, in its path, query and body. */
function targetsOf(endpoint: Endpoint): TargetName[] {
  const inPath = [...endpoint.path.matchAll(parameterPattern)].map(([, name = ""]) => targetOf(endpoint.path, name));
  const inQuery = queries[endpoint.operationId]?.target;
  // On a domain of the workspace, the keys of all examples are free.
  const onDomain: TargetName[] = endpoint.path.startsWith("/links") ? ["slug"] : [];
  const inBody: TargetName[] = isAboutLink(endpoint) ? ["linkId"] : [];
  return [...onDomain, ...inPath, ...(inQuery === undefined ? [] : [inQuery]), ...inBody];
}

const targetNames = [
  "linkId",
  /** The id of a change of that link. */
  "changeId",
  "slug",
  "domainId",
  "keyId",
  "tagId",
  "folderId",
  "templateId",
  "viewId",
  "shareId",
  "notificationId",
  /** The token in the URL of that share. */
  "shareToken",
  "workspaceId",
  "workspaceName",
  /** The id of a viewer of the workspace. */
  "userId",
  "inviteId",
  /** The token of an open invite into a workspace of another user. */
  "token",
] as const;
type TargetName = (typeof targetNames)[number];

/** Objects of one workspace that paths can name. */
export type Targets = Record<TargetName, string>;
/** Some of the objects: those that one endpoint names. */
export type SomeTargets = Partial<Targets>;

/** Makes one object of each kind, as the owner or as a tenant, in the key's workspace or another one of theirs. */
export async function makeTargets(server: TestService, tenant?: Tenant, workspaceId?: number): Promise<Targets> {
  const makers = targetMakers(server, tenant, workspaceId);
  const targets: SomeTargets = {};
  for (const name of targetNames) targets[name] = await makers[name]();
  return targets as Targets; // The loop has made all of them.
}

/** Makes the objects that a valid call of an endpoint names. */
export async function makeTargetsOf(
  endpoint: Endpoint,
  server: TestService,
  tenant?: Tenant,
  workspaceId?: number,
): Promise<SomeTargets> {
  const makers = targetMakers(server, tenant, workspaceId);
  const targets: SomeTargets = {};
  for (const name of targetsOf(endpoint)) targets[name] = await makers[name]();
  return targets;
}

/** The workspace of a call, and the objects that the call names. */
type CallContext = { tenant: Tenant; targets: SomeTargets };

/**
 * Returns a function that gives an operation its context: a new workspace for an operation that changes something, and
 * a shared one with all kinds of objects for other operations.
 */
export async function openCallContexts(server: TestService): Promise<(endpoint: Endpoint) => Promise<CallContext>> {
  const reader = await newTenant(server);
  const filled = { tenant: reader, targets: await makeTargets(server, reader) };
  return async (endpoint) => {
    if (endpoint.method === "get") return filled;
    const tenant = await newTenant(server);
    return { tenant, targets: await makeTargetsOf(endpoint, server, tenant) };
  };
}

type TargetMakers = Record<TargetName, () => Promise<string>>;

/** Functions that make each object of a workspace, and the objects that it needs, once. */
function targetMakers(server: TestService, tenant: Tenant | undefined, workspaceId: number | undefined): TargetMakers {
  const options = tenant === undefined ? {} : { key: tenant.apiKey };
  const there = workspaceId === undefined ? "" : `?workspaceId=${workspaceId}`;
  const currentId = workspaceId ?? tenant?.workspaceId ?? firstWorkspace;
  const post = async (path: string, body: object) =>
    (await server.call("POST", `${path}${there}`, { ...options, body })).body;
  const idOf = async (path: string, body: object) => Identified.parse(await post(path, body)).id;

  const domain = once(async () => {
    const slug = `${crypto.randomUUID()}.example.com`;
    const id = await idOf("/domains", { slug });
    await settleDomain(server, id, { key: tenant?.apiKey ?? ownerKey, query: there.slice(1) });
    return { id, slug };
  });
  const linkId = once(async () => await idOf("/links", { url: "https://example.com/", domain: (await domain()).slug }));
  const share = once(async () => Shared.parse(await post("/shares", { linkId: await linkId() })));
  return {
    linkId,
    async changeId() {
      const path = `/links/${await linkId()}`;
      await server.call("PATCH", `${path}${there}`, { ...options, body: { comments: "changed" } });
      const history = await server.call("GET", `${path}/history${there}`, options);
      return z.array(Identified).parse(history.body)[0]?.id ?? "";
    },
    slug: async () => (await domain()).slug,
    domainId: async () => (await domain()).id,
    keyId: () => idOf("/api-keys", { name: "Target" }),
    tagId: () => idOf("/tags", { name: crypto.randomUUID() }),
    folderId: () => idOf("/folders", { name: crypto.randomUUID() }),
    viewId: () => idOf("/saved-views", { name: crypto.randomUUID(), query: "", shared: true }),
    templateId: () => idOf("/utm-templates", { name: crypto.randomUUID() }),
    shareId: async () => (await share()).id,
    async notificationId() {
      const folderId = await idOf("/folders", { name: crypto.randomUUID() });
      return await idOf("/notifications", { kind: "drop", folderId });
    },
    shareToken: async () => (await share()).url.split("/").at(-1) ?? "",
    workspaceId: async () => String(currentId),
    async workspaceName() {
      const { body } = await server.call("GET", `/workspaces/${currentId}`, options);
      return Named.parse(body).name;
    },
    userId: async () => (await newMember(server, currentId, "viewer")).userId,
    inviteId: async () => (await newInvite(server, currentId, tenant?.apiKey ?? ownerKey)).id,
    async token() {
      const host = await newTenant(server);
      return (await newInvite(server, host.workspaceId, host.apiKey)).token;
    },
  };
}

/** The same promise each time; the first call makes it. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

/**
 * Verifies a new domain once, so that the service's next check is at least an hour away, and not while a test compares
 * snapshots.
 */
export async function settleDomain(
  server: TestService,
  id: string,
  { key, query }: { key: string; query: string },
): Promise<void> {
  const { status } = await server.call("POST", `/domains-v2/${id}/verify${query === "" ? "" : `?${query}`}`, { key });
  expect(status).toBe(200);
}

/** The workspace that the first start creates. */
const firstWorkspace = 1;

/** Makes an open invite, as an owner of the workspace. */
export async function newInvite(server: TestService, workspaceId: number, key: string, body: object = {}) {
  const answer = await server.call("POST", `/workspaces/${workspaceId}/invites`, { key, body });
  const { id, url } = Invited.parse(answer.body);
  return { id, url, token: new URL(url).pathname.split("/").at(-1) ?? "" };
}

const Named = z.object({ name: z.string() });
const Invited = z.object({ id: z.string(), url: z.url() });

const Identified = z.object({ id: z.string() });
const Shared = z.object({ id: z.string(), url: z.string() });

/** True if a path has a parameter, so that a request may name a missing object. */
export function namesAnObject({ path }: Endpoint): boolean {
  return path.includes("{");
}

/** True if any client that knows the path may call it, in any workspace. */
export function opensBySecret({ path }: Endpoint): boolean {
  return path.includes("{token}") || path.includes("{shareToken}");
}

/** Returns the example of an endpoint's body, with the link of the targets; undefined without a body. */
export function exampleBody(endpoint: Endpoint, targets?: SomeTargets): { body?: string } {
  const { bodySchema, bodyExample } = endpoint;
  if (bodySchema === undefined) return {};
  const isOfTargets = isAboutLink(endpoint) && targets !== undefined;
  const example = isOfTargets ? { ...Object(bodyExample), linkId: targets.linkId } : bodyExample;
  return { body: JSON.stringify(example) };
}

/** True when the example body names a link. */
function isAboutLink({ bodyExample }: Endpoint): boolean {
  return typeof bodyExample === "object" && bodyExample !== null && "linkId" in bodyExample;
}
