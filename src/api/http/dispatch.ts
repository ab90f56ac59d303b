import type { App } from "../../app.ts";
import { splitTarget } from "../../base/request-target.ts";
import { yieldIfSliceSpent } from "../../base/time-slices.ts";
import type { Warn } from "../../base/warning.ts";
import { authorize, authorizeAfterBody } from "./authorize.ts";
import { type CurrentObjects, checkNames } from "./check-names.ts";
import { readCurrentObject, type UnpreparedCall } from "./current-object.ts";
import type { ChangeableObjects, Endpoint, ParsedCall } from "./endpoint.ts";
import { readTags } from "./entity-tag.ts";
import type { Idempotency } from "./idempotency.ts";
import { type JsonBody, readJson } from "./json-body.ts";
import { withPreconditions } from "./preconditions.ts";
import { depsOf, prepare } from "./prepare.ts";
import type { LimitHeaders, RateLimits } from "./rate-limits.ts";
import { readQuery, requireStorable } from "./read-query.ts";
import { type ApiResponse, problemResponse, type Reply } from "./reply.ts";
import { Warnings } from "./warnings.ts";
import { type ResponseContext, writeResponse } from "./write-response.ts";

/** What all operations of one API share. */
export type ApiContext = {
  app: App;
  limits: RateLimits;
  idempotent: Idempotency;
  objects: ChangeableObjects;
};

/** One request to an operation, with its connection and the parameters of its path. */
type ApiRequest = { request: Request; connection: ApiConnection; path: Record<string, string> };

/**
 * The peer's address, what to call once the whole request is read, so that the idle timeout does not end a slow answer, and
 * how to keep an idle connection open.
 */
export type ApiConnection = { peer: string; onRequestRead(): void; holdOpen(): void };

/** Responds to one request to an operation. Never throws: a problem becomes a response too. */
export async function dispatch(context: ApiContext, endpoint: Endpoint, apiRequest: ApiRequest): Promise<Response> {
  const { app } = context;
  const stopTimer = app.metrics.requestSeconds.startTimer();
  const operation: ResponseContext = {
    name: endpoint.operationId,
    tag: entityTagKind(context, endpoint),
    route: `/v1${endpoint.path}`,
    startedAt: performance.now(),
  };
  const notes = { operation, limitHeaders: {}, warnings: new Warnings(), ignored: new Set<string>() };
  try {
    const apiResponse = await runEndpoint(context, endpoint, apiRequest, notes).catch((error: unknown) =>
      problemResponse(app, error),
    );
    // After a problem no change was made, so no warning applies.
    const noteHeaders = apiResponse.problem === undefined ? headersOf(notes) : {};
    const headers = { ...apiResponse.headers, ...notes.limitHeaders, ...noteHeaders };
    return await writeResponse(app, apiRequest.request, operation, { ...apiResponse, headers });
  } finally {
    stopTimer();
  }
}

/** What a call collects for its response, even if it fails. */
type ResponseNotes = {
  operation: ResponseContext;
  limitHeaders: LimitHeaders;
  warnings: Warnings;
  /** The names of Dub's API that the call used and that have no effect here. */
  ignored: Set<string>;
};

/** The flow of every call. A step that stops the call throws a Problem. */
async function runEndpoint(
  context: ApiContext,
  endpoint: Endpoint,
  apiRequest: ApiRequest,
  notes: ResponseNotes,
): Promise<ApiResponse> {
  const { app, limits } = context;
  const { request, connection, path } = apiRequest;
  const { workspaceId, ...query } = readQuery(splitTarget(request.url).query);
  requireStorable(path, "path");
  const address = app.redirects.clientAddress(connection.peer, request.headers.get("x-forwarded-for"));
  const parts = { path, query, request, address, holdOpen: () => connection.holdOpen() };
  if (endpoint.scope === "none") return await runPublic(context, endpoint, { parts, apiRequest }, notes);

  const keyed = { ...endpoint, scope: endpoint.scope };
  const credentials = {
    header: request.headers.get("authorization"),
    requested: { inPath: path["workspaceId"], inQuery: workspaceId },
  };
  const admitted = await authorize(app, limits, keyed, { ...credentials, address, limitHeaders: notes.limitHeaders });
  notes.operation.workspaceId = admitted.workspaceId;
  notes.operation.known = clientTags(endpoint, request);
  const { result, isSameTick } = await withinTick(() => readRequest(endpoint, apiRequest));
  const { value: body, bytes } = result;
  // A client may have sent the body slowly. One that came with the head changes nothing, and authorizing again would take
  // a tenth of the creation of a link.
  const actor = isSameTick ? admitted : await authorizeAfterBody(app, keyed, credentials);
  const spend = (calls: number) => limits.spend(actor, calls, notes.limitHeaders);
  const warn: Warn = (warning) => notes.warnings.add(warning);
  const call = { ...parts, actor, body, spend, warn };
  const reader = context.objects.readers.get(endpoint.path);
  await checkNames(endpoint, call, { ignored: notes.ignored, objects: changedObjectsOf(endpoint, reader, app, call) });
  const work = await prepare(endpoint, app, call);
  await yieldIfSliceSpent();
  const run = async () => toApiResponse(endpoint, await work());
  if (endpoint.method === "post") return await context.idempotent(endpoint, { ...call, bytes }, run);
  return await withPreconditions({ endpoint, reader }, app, call, run);
}

/** The flow of a call without a key. */
async function runPublic(
  { app, limits }: ApiContext,
  endpoint: Endpoint,
  { parts, apiRequest }: { parts: Omit<ParsedCall, "deps" | "body">; apiRequest: ApiRequest },
  { ignored, operation }: ResponseNotes,
): Promise<ApiResponse> {
  limits.takeAnonymous(parts.address);
  operation.known = clientTags(endpoint, parts.request);
  const { value: body } = await readRequest(endpoint, apiRequest);
  const call = { ...parts, body };
  await checkNames(endpoint, call, { ignored, objects: undefined });
  const work = await prepare(endpoint, app, call);
  return toApiResponse(endpoint, await work());
}

/** Reads the body, after which the client need not send anything. */
async function readRequest(endpoint: Endpoint, { request, connection }: ApiRequest): Promise<JsonBody> {
  const body = await readBody(endpoint, request);
  connection.onRequestRead();
  return body;
}

/** How to read the objects that PATCH or PUT changes, to compare the read-only fields that the client sends. */
function changedObjectsOf(
  endpoint: Endpoint,
  reader: Endpoint | undefined,
  app: App,
  call: UnpreparedCall,
): CurrentObjects | undefined {
  const { method, changedObjects } = endpoint;
  if (method !== "patch" && method !== "put") return undefined;
  if (changedObjects !== undefined) {
    const { field, read } = changedObjects;
    const deps = depsOf(endpoint, app);
    return { ...(field === undefined ? {} : { field }), read: async () => await read({ ...call, deps }) };
  }
  if (reader === undefined) return undefined;
  return {
    async read() {
      const current = await readCurrentObject({ endpoint, reader }, app, call);
      return current === undefined ? [] : [current.value];
    },
  };
}

function headersOf({ warnings, ignored }: ResponseNotes): Record<string, string> {
  return { ...warnings.headers(), ...(ignored.size === 0 ? {} : { "Waypost-Ignored": [...ignored].join(", ") }) };
}

/** Runs the work, and says whether it ended before the event loop took new input. */
async function withinTick<Result>(work: () => Promise<Result>): Promise<{ result: Result; isSameTick: boolean }> {
  let isSameTick = true;
  const nextTick = setImmediate(() => {
    isSameTick = false;
  });
  try {
    const result = await work();
    return { result, isSameTick };
  } finally {
    clearImmediate(nextTick);
  }
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
