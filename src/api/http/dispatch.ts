import type { App } from "../../app.ts";
import { Problem } from "../../base/problem.ts";
import { splitTarget } from "../../base/request-target.ts";
import { yieldIfSliceSpent } from "../../base/time-slices.ts";
import type { Warn } from "../../base/warning.ts";
import { authorize } from "./authorize.ts";
import { type CurrentObjects, checkNames } from "./check-names.ts";
import type { AuthorizedCall, ChangeableObjects, Endpoint } from "./endpoint.ts";
import { readTags } from "./entity-tag.ts";
import type { Idempotency } from "./idempotency.ts";
import { type JsonBody, readJson } from "./json-body.ts";
import { withPreconditions } from "./preconditions.ts";
import type { LimitHeaders, RateLimits } from "./rate-limits.ts";
import { readQuery, requireStorable } from "./read-query.ts";
import { type ApiResponse, problemResponse, type Reply } from "./reply.ts";
import { Warnings } from "./warnings.ts";
import { type ResponseContext, writeResponse } from "./write-response.ts";

/** What the operations of one API share. */
export type ApiContext = {
  app: App;
  limits: RateLimits;
  idempotent: Idempotency;
  objects: ChangeableObjects;
};

/** One request to an operation, with what the server knows of its connection and the path's parameters. */
export type ApiRequest = { request: Request; connection: ApiConnection; path: Record<string, string> };

/** The address at the other end, and how to keep a connection on which nothing goes for a while. */
export type ApiConnection = { peer: string; holdOpen(): void };

/** Answers one request to an operation, whatever it is: problems are answers too. */
export async function dispatch(context: ApiContext, endpoint: Endpoint, apiRequest: ApiRequest): Promise<Response> {
  const { app } = context;
  const stopTimer = app.metrics.requestSeconds.startTimer();
  const operation: ResponseContext = { name: endpoint.operationId, tag: entityTagKind(context, endpoint) };
  const limitHeaders: LimitHeaders = {};
  const warnings = new Warnings();
  const ignored = new Set<string>();
  try {
    const notes = { operation, limitHeaders, warnings, ignored };
    const apiResponse = await runEndpoint(context, endpoint, { ...apiRequest, ...notes }).catch((error: unknown) =>
      problemResponse(app, error),
    );
    // A problem says itself what is wrong; the change it speaks of was not made.
    const noteHeaders = apiResponse.problem === undefined ? { ...warnings.headers(), ...ignoredHeader(ignored) } : {};
    const headers = { ...apiResponse.headers, ...limitHeaders, ...noteHeaders };
    return await writeResponse(app, apiRequest.request, operation, { ...apiResponse, headers });
  } finally {
    stopTimer();
  }
}

/** What a call leaves for its response, whatever becomes of it. */
type ResponseNotes = {
  operation: ResponseContext;
  limitHeaders: LimitHeaders;
  warnings: Warnings;
  ignored: Set<string>;
};

/** The flow of every call: read, authorise, validate, then the work: once, and if the object is as expected. */
async function runEndpoint(
  { app, limits, idempotent, objects }: ApiContext,
  endpoint: Endpoint,
  { request, connection, path, operation, limitHeaders, warnings, ignored }: ApiRequest & ResponseNotes,
): Promise<ApiResponse> {
  const { workspaceId: inQuery, ...query } = readQuery(splitTarget(request.url).query);
  requireStorable(path, "path");
  const address = app.redirects.clientAddress(connection.peer, request.headers.get("x-forwarded-for"));
  const { scope } = endpoint;
  if (scope === "none") {
    limits.takeAnonymous(address);
    const { value: body } = await readBody(endpoint, request);
    const call = { app, path, query, body, request, address, ...connection };
    for (const name of await checkNames(endpoint, call, undefined)) ignored.add(name);
    const work = await endpoint.prepare(call);
    return toApiResponse(endpoint, await work());
  }
  const actor = await authorize(
    app,
    limits,
    { ...endpoint, scope },
    {
      header: request.headers.get("authorization"),
      address,
      requested: { inPath: path["workspaceId"], inQuery },
      limitHeaders,
    },
  );
  operation.known = clientTags(endpoint, request);
  const { value: body, bytes } = await readBody(endpoint, request);
  const { holdOpen } = connection;
  const spend = (calls: number) => limits.spend(actor, calls, limitHeaders);
  const warn: Warn = (warning) => warnings.add(warning);
  const call = { app, actor, path, query, body, request, address, spend, holdOpen, warn };
  const reader = objects.readers.get(endpoint.path);
  for (const name of await checkNames(endpoint, call, changedObjectsOf(endpoint, reader, call))) ignored.add(name);
  const work = await endpoint.prepare(call);
  await yieldIfSliceSpent();
  return await idempotent(endpoint, { ...call, bytes }, async () => {
    return toApiResponse(endpoint, await withPreconditions({ endpoint, reader }, call, work));
  });
}

/** How to read what PATCH or PUT changes, for what the client sends back of it. */
function changedObjectsOf(
  endpoint: Endpoint,
  reader: Endpoint | undefined,
  call: AuthorizedCall,
): CurrentObjects | undefined {
  const { method, createsMissing, changedObjects } = endpoint;
  if (method !== "patch" && method !== "put") return undefined;
  if (changedObjects !== undefined) {
    const { field, read } = changedObjects;
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
        if (createsMissing && error instanceof Problem && error.code === "not_found") return [];
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

function toApiResponse({ status }: Endpoint, { content, headers }: Reply): ApiResponse {
  return { status: content.kind === "none" ? 304 : status, content, headers };
}

function entityTagKind({ objects }: ApiContext, { method, responseSchema }: Endpoint): ResponseContext["tag"] {
  if (objects.responseSchemas.has(responseSchema)) return method === "get" || method === "patch" ? "object" : "none";
  return method === "get" ? "body" : "none";
}

function clientTags({ method }: Endpoint, { headers }: Request) {
  const header = headers.get("if-none-match");
  return header === null || method !== "get" ? undefined : readTags("If-None-Match", header);
}
