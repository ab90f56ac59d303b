import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { splitTarget } from "../base/request-target.ts";
import { yieldIfSliceSpent } from "../base/time-slices.ts";
import type { Warn } from "../base/warning.ts";
import { authorize } from "./auth.ts";
import { checkNames, type ReadObjects } from "./check-names.ts";
import type { AuthorizedCall, ChangeableObjects, Endpoint } from "./endpoint.ts";
import { readTags } from "./entity-tag.ts";
import type { Idempotency } from "./idempotency.ts";
import { type JsonBody, readJson } from "./json-body.ts";
import { conditionally } from "./preconditions.ts";
import type { LimitHeaders, RateLimits } from "./rate-limits.ts";
import { type Answer, problemAnswer, type Reply } from "./reply.ts";
import { readQuery, requireStorable } from "./request.ts";
import { type Operation, respond } from "./respond.ts";
import { Warnings } from "./warnings.ts";

/** What the operations of one API share. */
export type Desk = {
  app: App;
  limits: RateLimits;
  once: Idempotency;
  objects: ChangeableObjects;
};

/** One request to an operation, with what the server knows of its connection and the path's parameters. */
export type Received = { request: Request; connection: ApiConnection; path: Record<string, string> };

/** The address at the other end, and how to keep a connection on which nothing goes for a while. */
export type ApiConnection = { peer: string; holdOpen(): void };

/** Answers one request to an operation, whatever it is: problems are answers too. */
export async function operate(desk: Desk, endpoint: Endpoint, received: Received): Promise<Response> {
  const { app } = desk;
  const stopTimer = app.metrics.requestSeconds.startTimer();
  const operation: Operation = { name: endpoint.operationId, tag: tagKind(desk, endpoint) };
  const limitHeaders: LimitHeaders = {};
  const warnings = new Warnings();
  const ignored = new Set<string>();
  try {
    const context = { operation, limitHeaders, warnings, ignored };
    const answer = await carryOut(desk, endpoint, { ...received, ...context }).catch((error: unknown) =>
      problemAnswer(app, error),
    );
    // A problem says itself what is wrong; the change it speaks of was not made.
    const notes = answer.problem === undefined ? { ...warnings.headers(), ...ignoredHeader(ignored) } : {};
    const headers = { ...answer.headers, ...limitHeaders, ...notes };
    return await respond(app, received.request, operation, { ...answer, headers });
  } finally {
    stopTimer();
  }
}

/** What a call leaves for its response, whatever becomes of it. */
type Context = { operation: Operation; limitHeaders: LimitHeaders; warnings: Warnings; ignored: Set<string> };

/** The flow of every call: read, authorise, validate, then the work: once, and if the object is as expected. */
async function carryOut(
  { app, limits, once, objects }: Desk,
  endpoint: Endpoint,
  { request, connection, path, operation, limitHeaders, warnings, ignored }: Received & Context,
): Promise<Answer> {
  const { workspaceId: inQuery, ...query } = readQuery(splitTarget(request.url).query);
  requireStorable(path, "path");
  const address = app.redirects.clientAddress(connection.peer, request.headers.get("x-forwarded-for"));
  const { scope } = endpoint;
  if (scope === "none") {
    limits.admitStranger(address);
    const { value: body } = await readBody(endpoint, request);
    const call = { app, path, query, body, request, address, ...connection };
    for (const name of await checkNames(endpoint, call, undefined)) ignored.add(name);
    const work = await endpoint.prepare(call);
    return asAnswer(endpoint, await work());
  }
  const actor = await authorize(
    app,
    limits,
    { ...endpoint, scope },
    {
      header: request.headers.get("authorization"),
      address,
      named: { inPath: path["workspaceId"], inQuery },
      limitHeaders,
    },
  );
  operation.known = knownTags(endpoint, request);
  const { value: body, bytes } = await readBody(endpoint, request);
  const { holdOpen } = connection;
  const spend = (calls: number) => limits.spend(actor, calls, limitHeaders);
  const warn: Warn = (warning) => warnings.add(warning);
  const call = { app, actor, path, query, body, request, address, spend, holdOpen, warn };
  const reader = objects.readers.get(endpoint.path);
  for (const name of await checkNames(endpoint, call, changedObjects(endpoint, reader, call))) ignored.add(name);
  const work = await endpoint.prepare(call);
  await yieldIfSliceSpent();
  return await once(endpoint, { ...call, bytes }, async () => {
    return asAnswer(endpoint, await conditionally({ endpoint, reader }, call, work));
  });
}

/** How to read what PATCH or PUT changes, for what the client sends back of it. */
function changedObjects(
  endpoint: Endpoint,
  reader: Endpoint | undefined,
  call: AuthorizedCall,
): ReadObjects | undefined {
  const { method, createsNamed, sentBack } = endpoint;
  if (method !== "patch" && method !== "put") return undefined;
  if (sentBack !== undefined) {
    const { field, read } = sentBack;
    return { ...(field === undefined ? {} : { field }), read: async () => await read(call) };
  }
  if (reader === undefined) return undefined;
  return {
    async read() {
      try {
        const work = await reader.prepare({ ...call, query: {}, body: undefined });
        const { content } = await work();
        return content.kind === "json" ? [content.value] : [];
      } catch (error) {
        // The call makes the object.
        if (createsNamed && error instanceof Problem && error.code === "not_found") return [];
        throw error;
      }
    },
  };
}

/** The names of Dub's API that the call used and that have no effect here. */
function ignoredHeader(ignored: ReadonlySet<string>): Record<string, string> {
  return ignored.size === 0 ? {} : { "Waypost-Ignored": [...ignored].join(", ") };
}

async function readBody({ bodySchema, bodyLimit }: Endpoint, request: Request): Promise<JsonBody> {
  return bodySchema === undefined ? noBody : await readJson(request, bodyLimit);
}

const noBody: JsonBody = { value: undefined, bytes: new Uint8Array() };

function asAnswer({ status }: Endpoint, { content, headers }: Reply): Answer {
  return { status: content.kind === "none" ? 304 : status, content, headers };
}

function tagKind({ objects }: Desk, { method, answer }: Endpoint): Operation["tag"] {
  if (objects.answers.has(answer)) return method === "get" || method === "patch" ? "object" : "none";
  return method === "get" ? "body" : "none";
}

function knownTags({ method }: Endpoint, { headers }: Request) {
  const header = headers.get("if-none-match");
  return header === null || method !== "get" ? undefined : readTags("If-None-Match", header);
}
