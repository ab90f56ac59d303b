import { expect } from "bun:test";
import { z } from "zod";
import { scopes } from "../../src/access/actor.ts";
import { endpoints } from "../../src/api/api.ts";
import type { Endpoint } from "../../src/api/http/endpoint.ts";
import { problemStatus } from "../../src/base/problem.ts";
import { ownerKey, type TestServer } from "./server.ts";
import { newMember, newTenant, type Tenant } from "./tenants.ts";

/** What an answer of the API is, before anything is believed of it. */
export type PlainAnswer = { status: number; headers: Headers; text: string };

export type PlainRequest = { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> };

/** Every endpoint under a name that tells it in a test's name. */
export const allEndpoints: [string, Endpoint][] = endpoints.map((endpoint) => [
  `${endpoint.method.toUpperCase()} ${endpoint.path}`,
  endpoint,
]);

/** The endpoints that programs can call. The others need a session and have separate tests. */
export const namedEndpoints = allEndpoints.filter(([, { scope }]) => scope !== "session");

/** Those that need a key with a scope. */
export const keyedEndpoints = namedEndpoints.filter(([, { scope }]) => scopes.some((known) => known === scope));

/** Those that answer JSON to who has a key. */
export const jsonEndpoints = namedEndpoints.filter(
  ([, { scope, contentTypes }]) => scope !== "none" && contentTypes === undefined,
);

/** Asks below /v1 as the owner, with the JSON content type where there is a body; given headers win, "" leaves out. */
export async function ask(server: TestServer, method: string, path: string, { headers = {}, body }: PlainRequest = {}) {
  const all = {
    Authorization: `Bearer ${ownerKey}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
  const response = await fetch(`${server.url}/v1${path}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await textOf(response) };
}

/** The body; of an answer that goes on for ever, nothing. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream") return await response.text();
  await response.body?.cancel();
  return "";
}

const Refusal = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string().min(1), doc_url: z.url() }),
});

/** Status and code of a refusal, as one text that a failing comparison shows. */
export function refusalOf({ status, body }: { status: number; body: unknown }): string {
  return `${status} ${Refusal.parse(body).error.code}`;
}

/** Exactly what the timeseries answers. */
export const Points = z.array(z.strictObject({ start: z.string(), clicks: z.int() }));

/** Exactly what the count of clicks answers. */
export const Report = z.strictObject({
  groupBy: z.string(),
  interval: z.string(),
  start: z.string(),
  end: z.string(),
  clicks: z.int(),
  data: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
});

/** Fails unless the answer is a refusal in the shape of the API with one of the statuses and the code that belongs. */
export function expectRefusal(input: unknown, { status, headers, text }: PlainAnswer, statuses: number[]): void {
  const seen = { input, answer: text.slice(0, 300) };
  expect({ ...seen, status, isExpected: statuses.includes(status) }).toEqual({ ...seen, status, isExpected: true });
  expect({ ...seen, type: headers.get("content-type") }).toEqual({ ...seen, type: "application/json" });
  expect({ ...seen, hasId: headers.has("x-request-id") }).toEqual({ ...seen, hasId: true });
  const { error } = Refusal.parse(JSON.parse(text));
  const statusOfCode: number | undefined = Object.entries(problemStatus).find(([code]) => code === error.code)?.[1];
  expect({ ...seen, code: error.code, statusOfCode }).toEqual({ ...seen, code: error.code, statusOfCode: status });
}

/** The path of an endpoint with its parameters written in. An id is one of the noun the path begins with. */
export function pathOf({ path }: Pick<Endpoint, "path">, values: Targets | string): string {
  const byName: Record<string, string> =
    typeof values === "string"
      ? Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, values]))
      : { ...values, id: idOf(path, values) };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = byName[name];
    if (value === undefined) throw new Error(`The tests have no value for {${name}} of ${path}.`);
    return encodeURIComponent(value);
  });
}

function idOf(path: string, { keyId, tagId, folderId, domainId, templateId, shareId }: Targets): string {
  if (path.startsWith("/utm-templates")) return templateId;
  if (path.startsWith("/shares")) return shareId;
  if (path.startsWith("/api-keys")) return keyId;
  if (path.startsWith("/tags")) return tagId;
  return path.startsWith("/folders") ? folderId : domainId;
}

/** The path of an endpoint, with a query where it needs one, that a good call names. */
export function urlOf(endpoint: Endpoint, targets: Targets): string {
  const queries: Record<string, string> = {
    findLink: `?linkId=${targets.linkId}`,
    deleteWorkspace: `?confirm=${encodeURIComponent(targets.workspaceName)}`,
    deleteLinks: `?linkIds=${targets.linkId}`,
    getQrCode: "?url=https://example.com/",
  };
  const query = queries[endpoint.operationId] ?? "";
  return `${pathOf(endpoint, targets)}${query}`;
}

/** Objects of one workspace that paths can name. */
export type Targets = {
  linkId: string;
  /** A change of that link. */
  changeId: string;
  slug: string;
  domainId: string;
  keyId: string;
  tagId: string;
  folderId: string;
  templateId: string;
  shareId: string;
  /** Of the address of that share. */
  shareToken: string;
  workspaceId: string;
  workspaceName: string;
  /** Of a viewer of the workspace. */
  userId: string;
  inviteId: string;
  /** Of an open invite into a workspace of another user. */
  token: string;
};

/** Makes one object of each kind, as the owner or as a tenant, in the key's workspace or another one of theirs. */
export async function makeTargets(server: TestServer, tenant?: Tenant, workspaceId?: number): Promise<Targets> {
  const options = tenant === undefined ? {} : { key: tenant.apiKey };
  const there = workspaceId === undefined ? "" : `?workspaceId=${workspaceId}`;
  const post = async (path: string, body: object) =>
    (await server.call("POST", `${path}${there}`, { ...options, body })).body;
  const slug = `${crypto.randomUUID()}.example.com`;
  const { id: domainId } = Identified.parse(await post("/domains", { slug }));
  await settleDomain(server, domainId, { key: tenant?.apiKey ?? ownerKey, query: there.slice(1) });
  const { id: linkId } = Identified.parse(await post("/links", { url: "https://example.com/", domain: slug }));
  await server.call("PATCH", `/links/${linkId}${there}`, { ...options, body: { comments: "changed" } });
  const history = await server.call("GET", `/links/${linkId}/history${there}`, options);
  const changeId = z.array(Identified).parse(history.body)[0]?.id ?? "";
  const { id: keyId } = Identified.parse(await post("/api-keys", { name: "Target" }));
  const name = crypto.randomUUID();
  const { id: tagId } = Identified.parse(await post("/tags", { name }));
  const { id: folderId } = Identified.parse(await post("/folders", { name }));
  const here = workspaceId ?? tenant?.workspaceId ?? firstWorkspace;
  const { id: templateId } = Identified.parse(await post("/utm-templates", { name }));
  const share = Shared.parse(await post("/shares", { linkId }));
  const shares = { shareId: share.id, shareToken: share.url.split("/").at(-1) ?? "" };
  const { userId } = await newMember(server, here, "viewer");
  const { id: inviteId } = await newInvite(server, here, tenant?.apiKey ?? ownerKey);
  const host = await newTenant(server);
  const { token } = await newInvite(server, host.workspaceId, host.apiKey);
  const answer = await server.call("GET", `/workspaces/${here}`, options);
  const { name: workspaceName } = Named.parse(answer.body);
  const members = { workspaceId: String(here), workspaceName, userId, inviteId, token };
  return { linkId, changeId, slug, domainId, keyId, tagId, folderId, templateId, ...shares, ...members };
}

/**
 * Has a new domain checked, so that the service does so by itself no earlier than in an hour, and not while a test looks
 * for changes.
 */
export async function settleDomain(
  server: TestServer,
  id: string,
  { key, query }: { key: string; query: string },
): Promise<void> {
  const { status } = await server.call("POST", `/domains-v2/${id}/verify${query === "" ? "" : `?${query}`}`, { key });
  expect(status).toBe(200);
}

/** The one made at the first start. */
const firstWorkspace = 1;

/** Makes an open invite, as an owner of the workspace. */
export async function newInvite(server: TestServer, workspaceId: number, key: string, body: object = {}) {
  const answer = await server.call("POST", `/workspaces/${workspaceId}/invites`, { key, body });
  const { id, url } = Invited.parse(answer.body);
  return { id, url, token: new URL(url).pathname.split("/").at(-1) ?? "" };
}

const Named = z.object({ name: z.string() });
const Invited = z.object({ id: z.string(), url: z.url() });

const Identified = z.object({ id: z.string() });
const Shared = z.object({ id: z.string(), url: z.string() });

/** Whether a path of the table has a parameter, so that it can name what is not there. */
export function namesAnObject({ path }: Endpoint): boolean {
  return path.includes("{");
}

/** True when any client that knows the path may call it, whatever workspace the object belongs to. */
export function opensBySecret({ path }: Endpoint): boolean {
  return path.includes("{token}") || path.includes("{shareToken}");
}

/** The endpoint's own example as a body, about the link of the targets if about one; undefined where it takes none. */
export function exampleBody({ bodySchema, bodyExample }: Endpoint, targets?: Targets): { body?: string } {
  if (bodySchema === undefined) return {};
  const isAboutLink = typeof bodyExample === "object" && bodyExample !== null && "linkId" in bodyExample;
  const example = isAboutLink && targets !== undefined ? { ...bodyExample, linkId: targets.linkId } : bodyExample;
  return { body: JSON.stringify(example) };
}
