import { endpoints } from "../../src/api/api.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { startWatched, type WatchedServer } from "./blocked-loop.ts";
import { costlyBulk, costlyLink, costlyRequest, type Named } from "./costly-requests.ts";

/** What each operation may take of the event loop at once. */
export const blockedMsMax = 20;
/** The first one compiles code; the median of the others is what the operation takes. */
const rounds = 4;

/** How long one operation kept the event loop, by its longest turn. */
export type Blocking = {
  name: string;
  status: number;
  /** With the most expensive request that it accepts. */
  legalMs: number;
  /** With a body of zeros, as long as its limit allows; undefined for an operation without a body. */
  zerosMs: number | undefined;
};

/** Measures the operations whose names are chosen, on a server with expensive links; those that delete come last. */
export async function measureOperations(isChosen: (name: string) => boolean): Promise<Blocking[]> {
  const server = await startWatched();
  try {
    const named = await makeObjects(server);
    const measured: Blocking[] = [];
    for (const endpoint of inOrder()) {
      const name = `${endpoint.method.toUpperCase()} ${endpoint.path}`;
      if (isChosen(name)) measured.push(await measure(server, endpoint, named));
    }
    return measured;
  } finally {
    await server.end();
  }
}

function inOrder(): Endpoint[] {
  const deletes = ({ method, operationId }: Endpoint) =>
    operationId === "deleteWorkspace" ? 2 : Number(method === "delete");
  return endpoints.filter(({ scope }) => scope !== "session").toSorted((a, b) => deletes(a) - deletes(b));
}

async function measure(server: WatchedServer, endpoint: Endpoint, named: Named): Promise<Blocking> {
  const path = `/v1${endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[nameOf(endpoint, name)] ?? "x")}`;
  const method = endpoint.method.toUpperCase();
  const legal: number[] = [];
  const zeros: number[] = [];
  let status = 0;
  for (let round = 0; round < rounds; round++) {
    const { query = "", body } = costlyRequest(endpoint, named);
    await server.blockedMs();
    const answer = await server.call({ method, path: `${path}${query}`, ...(body === undefined ? {} : { body }) });
    legal.push(await server.blockedMs());
    if (round === 0) status = answer.status;
    if (body === undefined) continue;
    await server.call({ method, path, body: `[${"0,".repeat(endpoint.bodyLimit.bytesMax / 2 - 2)}0]` });
    zeros.push(await server.blockedMs());
  }
  const name = `${method} ${endpoint.path}`;
  return { name, status, legalMs: median(legal), zerosMs: zeros.length === 0 ? undefined : median(zeros) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function nameOf({ path }: Endpoint, name: string): string {
  return name === "id" ? (path.split("/")[1] ?? "") : name;
}

/** Objects for all paths, and a list of 100 links that are as large as links may be. */
async function makeObjects(server: WatchedServer): Promise<Named> {
  const post = async (path: string, body: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await server.call({ method: "POST", path: `/v1${path}`, body: text });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return JSON.parse(answer.text);
  };
  const domain = await post("/domains", { slug: "costly.example.com" });
  const large: string[] = [];
  for (let index = 0; index < 100; index++) large.push((await post("/links", costlyLink(`n=${index}`))).id);
  const spare: { id: string }[] = await post("/links/bulk", costlyBulk());
  const share = await post("/shares", { linkId: large[0] });
  const change = await server.call({ method: "GET", path: `/v1/links/${large[0]}/history` });
  const invite = await post("/workspaces/1/invites", { role: "member" });
  return {
    linkId: large[0] ?? "",
    bulkIds: large.join(),
    spareIds: spare.map(({ id }) => id).join(),
    changeId: JSON.parse(change.text)[0]?.id ?? "x",
    slug: "costly.example.com",
    domains: domain.id,
    "domains-v2": domain.id,
    "api-keys": (await post("/api-keys", { name: "Spare" })).id,
    tags: (await post("/tags", { name: "spare" })).id,
    folders: (await post("/folders", { name: "Spare" })).id,
    "utm-templates": (await post("/utm-templates", { name: "Spare" })).id,
    shares: share.id,
    shareToken: String(share.url).split("/").at(-1) ?? "",
    workspaceId: "1",
    workspaceName: "x",
    userId: "x",
    inviteId: invite.id,
    token: String(invite.url).split("/").at(-1) ?? "",
  };
}
