import { endpoints } from "../../src/api/api.ts";
import { type BodyLimit, bodyLimits } from "../../src/api/http/json-body.ts";
import { startWatched, type WatchedServer } from "./blocked-loop.ts";
import type { CostlyRequest, World } from "./costly-request.ts";
import { apiRequests, siteRequests } from "./costly-requests.ts";
import { type OpenWorld, openWorld } from "./costly-world.ts";

/** How long an operation may block the event loop. */
export const blockedMsMax = 20;
/**
 * The same for a rejected request: a slice of 3 ms (src/base/time-slices.ts), and one step of 5 ms that begins at its
 * end.
 */
export const rejectedMsMax = 8;
/** The minimum counts, because the first round compiles code and some include a garbage collection. */
const rounds = 5;

/** The longest tick of one operation. */
export type OperationTimes = {
  name: string;
  status: number;
  /** For the most expensive accepted request: the minimum and the median of the rounds. */
  acceptedMs: { minimum: number; median: number };
  /** For rejected bodies; undefined for an operation without a body. */
  rejectedMs: { minimum: number; median: number } | undefined;
};

/** An operation of the benchmark. */
type Operation = {
  name: string;
  method: string;
  /** With its parameters in braces. */
  path: string;
  kind: "api" | "site";
  request: ((world: World) => CostlyRequest | Promise<CostlyRequest>) | undefined;
  /** undefined for an operation without a JSON body. */
  bodyLimit: BodyLimit | undefined;
};

/** Measures the chosen operations on a server with expensive links. */
export async function measureOperations(isChosen: (name: string) => boolean): Promise<OperationTimes[]> {
  const server = await startWatched();
  try {
    const world = await openWorld(server);
    const measured: OperationTimes[] = [];
    for (const operation of operations()) {
      if (isChosen(operation.name)) measured.push(await measure(server, operation, world));
    }
    return measured;
  } finally {
    await server.end();
  }
}

/** Returns all operations of the API and all other paths of the app host. */
export function operations(): Operation[] {
  const ofApi = endpoints.map((endpoint): Operation => {
    const method = endpoint.method.toUpperCase();
    const name = `${method} ${endpoint.path}`;
    const bodyLimit = endpoint.bodySchema === undefined ? undefined : endpoint.bodyLimit;
    return { name, method, path: endpoint.path, kind: "api", request: apiRequests[endpoint.operationId], bodyLimit };
  });
  const ofSite = Object.entries(siteRequests).map(([name, request]): Operation => {
    const [method = "", path = ""] = name.split(" ");
    const bodyLimit = /session|reset/.test(path) && method === "POST" ? bodyLimits.public : undefined;
    return { name, method, path: path.replaceAll(/:(\w+)/g, "{$1}"), kind: "site", request, bodyLimit };
  });
  return [...ofApi, ...ofSite];
}

async function measure(server: WatchedServer, operation: Operation, world: OpenWorld): Promise<OperationTimes> {
  const { name, method, kind, bodyLimit, request } = operation;
  if (request === undefined) throw new Error(`${name} has no request in costly-requests.ts.`);
  const acceptedTimes: number[] = [];
  const rejectedTimes: number[] = [];
  let status = 0;
  for (let round = 0; round < rounds; round++) {
    const { parameters = {}, query = "", body, headers = {} } = await request(world);
    const path = `${kind === "api" ? "/v1" : ""}${pathOf(operation, { ...world.parameters, ...parameters })}`;
    const send = async (text: string | undefined) => {
      await server.blockedMs();
      const sent = { method, path: `${path}${query}`, headers: { ...world.headersFor(name), ...headers } };
      const answer = await server.call({ ...sent, ...(text === undefined ? {} : { body: text }) });
      return { status: answer.status, ms: await server.blockedMs() };
    };
    // Before the accepted request, which may consume its objects.
    const rejectedBodies = bodyLimit === undefined ? [] : makeRejectedBodies(body ?? "{}", bodyLimit);
    const bodyTimes: number[] = [];
    for (const text of rejectedBodies) bodyTimes.push((await send(text)).ms);
    if (bodyTimes.length > 0) rejectedTimes.push(Math.max(...bodyTimes));
    const answer = await send(body);
    acceptedTimes.push(answer.ms);
    // The highest status of the rounds, so that a rejected request is noticed.
    status = Math.max(status, answer.status);
  }
  const rejectedMs = rejectedTimes.length === 0 ? undefined : summary(rejectedTimes);
  return { name, status, acceptedMs: summary(acceptedTimes), rejectedMs };
}

/** Returns rejected bodies: zeros up to the limit, and the expensive body with an invalid value at its end. */
function makeRejectedBodies(body: string, { bytesMax }: BodyLimit): string[] {
  const zeros = `[${"0,".repeat(bytesMax / 2 - 2)}0]`;
  const value: unknown = JSON.parse(body);
  const invalid = { archived: 7 };
  if (Array.isArray(value)) return [zeros, JSON.stringify([...value.slice(0, -1), { ...value.at(-1), ...invalid }])];
  if (typeof value !== "object" || value === null) return [zeros];
  const data: unknown = Reflect.get(value, "data");
  const isBulk = typeof data === "object" && data !== null;
  return [zeros, JSON.stringify(isBulk ? { ...value, data: { ...data, ...invalid } } : { ...value, ...invalid })];
}

function summary(values: readonly number[]): { minimum: number; median: number } {
  const sorted = values.toSorted((a, b) => a - b);
  return { minimum: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
}

/** The parameter `id` refers to the first noun of the path, unless the request overrides it. */
function pathOf({ path }: Operation, parameters: Record<string, string>): string {
  const noun = path.split("/")[1] ?? "";
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => parameters[name] ?? (name === "id" ? parameters[noun] : undefined) ?? "x",
  );
}
