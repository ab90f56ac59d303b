import { z } from "zod";
import type { WatchedServer } from "./blocked-loop.ts";
import { administratorInput } from "./costly-account-requests.ts";
import type { Created, PathParameters, World } from "./costly-request.ts";
import { costlyLink, costlySlug, hubs } from "./costly-requests.ts";
import { ownerEmail, ownerPassword } from "./servers.ts";

/** The world of the benchmark, and the default headers of an operation. */
export type OpenWorld = World & { headersFor(name: string): Record<string, string> };

/** The ids, the URL and the times in a response with one object or a list. */
const Answer = z.union([
  z.array(z.looseObject({ id: z.string().optional(), updatedAt: z.string().optional() })),
  z.looseObject({ id: z.union([z.string(), z.number()]).optional(), url: z.string().optional() }),
]);
const Members = z.array(z.looseObject({ userId: z.string(), email: z.string().nullish() }));

/** Creates objects for all paths: 100 links, one of the maximum size, hubs of short links, and a blocked host. */
export async function openWorld(server: WatchedServer): Promise<OpenWorld> {
  // While a host is blocked, the server checks the host of each target.
  await server.operate("block", { kind: "host", target: "evil.a.b.c.example.com", reason: "For the benchmark" });
  await server.operate("user administrator", administratorInput);
  const origin = { Origin: server.url };
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await server.call({ method, path, headers, ...(body === undefined ? {} : { body: text }) });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  };
  const parse = (text: string): Created => {
    const answer = Answer.parse(JSON.parse(text));
    if (!Array.isArray(answer)) return { id: String(answer.id ?? ""), url: answer.url ?? "", ids: [], updatedAts: [] };
    const updatedAts = answer.flatMap(({ updatedAt }) => updatedAt ?? []);
    return { id: "", url: "", ids: answer.flatMap(({ id }) => id ?? []), updatedAts };
  };
  const signIn = async () => {
    const body = { email: ownerEmail, password: ownerPassword };
    const { cookies } = await send("POST", "/app/session", origin, body);
    return { ...origin, Cookie: cookies };
  };
  const tokenOf = async (cookies: Record<string, string>) => {
    const { text } = await send("POST", "/app/token", cookies);
    return z.object({ token: z.string() }).parse(JSON.parse(text)).token;
  };
  const session = await tokenOf(await signIn());
  const isForSessions = (path: string) => /^\/(user|admin)\//.test(path);
  const call: World["call"] = async (method, path, body) =>
    parse((await send(method, `/v1${path}`, isForSessions(path) ? bearer(session) : {}, body)).text);

  const parameters: PathParameters = await createObjects(call);
  return {
    parameters: { ...parameters, email: ownerEmail, password: ownerPassword },
    call,
    signIn,
    callAs: async (token, method, path, body) => parse((await send(method, `/v1${path}`, bearer(token), body)).text),
    async join() {
      const { url } = await call("POST", "/workspaces/1/invites", { role: "member" });
      const email = `${crypto.randomUUID()}@example.com`;
      const form = new URLSearchParams({ name: "Ann", email, password: ownerPassword }).toString();
      const type = { "Content-Type": "application/x-www-form-urlencoded" };
      const { cookies } = await send("POST", new URL(url).pathname, type, form);
      const token = await tokenOf({ ...origin, Cookie: cookies });
      const { text } = await send("GET", "/v1/workspaces/1/members", {});
      const member = Members.parse(JSON.parse(text)).find((one) => one.email === email);
      return { userId: member?.userId ?? "", token };
    },
    headersFor(name) {
      const [, path = ""] = name.split(" ");
      if (path.startsWith("/app")) return origin;
      return isForSessions(path) || name === "PATCH /user" ? bearer(session) : {};
    },
  };
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

async function createObjects(call: World["call"]): Promise<PathParameters> {
  const slug = costlySlug;
  const domain = await call("POST", "/domains", { slug });
  for (const hub of hubs) await call("POST", "/links", { ...hub, domain: slug });
  const { id: linkId } = await call("POST", "/links", costlyLink());
  // The maximum bytes that one call may change.
  const links = Array.from({ length: 100 }, (_, index) => ({
    url: `https://example.com/?${"x".repeat(19_000)}${index}`,
  }));
  const { ids } = await call("POST", "/links/bulk", links);
  const createNamed = async (path: string) => (await call("POST", path, { name: crypto.randomUUID() })).id;
  const share = await call("POST", "/shares", { linkId });
  const password = ownerPassword;
  const locked = await call("POST", "/shares", { linkId: ids[0], password });
  const tokenIn = (url: string) => url.split("/").at(-1) ?? "";
  return {
    ...{ linkId, slug, workspaceId: "1", bulkIds: ids.join() },
    ...{ domains: domain.id, "domains-v2": domain.id, "api-keys": await createNamed("/api-keys") },
    ...{ tags: await createNamed("/tags"), folders: await createNamed("/folders") },
    "utm-templates": await createNamed("/utm-templates"),
    ...{ shares: share.id, shareToken: tokenIn(share.url), lockedToken: tokenIn(locked.url), avatarFile: "1.svg" },
  };
}
