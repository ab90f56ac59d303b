import type { App } from "../../app.ts";
import { bodyBytes, millisecondsSince } from "../../base/access-log.ts";
import { lengthField } from "../../base/http10.ts";
import { chooseEncoding, compress } from "./compression.ts";
import { sharedHeaders } from "./cors.ts";
import { bodyTag, matchesTag, objectTag, type TagList } from "./entity-tag.ts";
import { jsonBytes } from "./json-bytes.ts";
import type { ApiResponse } from "./reply.ts";

/** What a response depends on besides its content: the operation's name, for metrics, and the kind of its ETag. */
export type ResponseContext = {
  name: string;
  tag: "object" | "body" | "none";
  /** The client's If-None-Match. */
  known?: TagList | undefined;
  /**
   * For the access log: the pattern of the route, or null for an unknown path; the workspace; and when the call began
   * (performance.now()). Absent where the caller logs the request.
   */
  route?: string | null;
  workspaceId?: number;
  startedAt?: number;
};

/** The context of a response for an unknown path or method. */
export const noOperation: ResponseContext = { name: "none", tag: "none", route: null };

/**
 * Writes a response for one client: with its entity tag, as 304 if the client has the content, compressed if the client
 * accepts it, and with the header fields of every response. HEAD gets the headers of GET.
 */
export async function writeResponse(
  app: Pick<App, "log" | "metrics" | "accessLog">,
  request: Request,
  operation: ResponseContext,
  apiResponse: ApiResponse,
): Promise<Response> {
  const id = requestId(request);
  const response = await toResponse(request, operation, apiResponse, id);
  app.metrics.requests.inc({ operation: operation.name, status: String(response.status) });
  recordAccess(app, request, operation, { response, id });
  if (apiResponse.problem !== undefined && apiResponse.status >= 500) {
    const { message, cause } = apiResponse.problem;
    // A client that closes its connection aborts its call.
    const isClientGone = request.signal.aborted && cause === request.signal.reason;
    if (!isClientGone) app.log.error(message, { operation: operation.name, requestId: id, cause });
  }
  return response;
}

function recordAccess(
  { accessLog }: Pick<App, "accessLog">,
  { method }: Request,
  { route, workspaceId, startedAt }: ResponseContext,
  { response, id }: { response: Response; id: string },
): void {
  if (route === undefined) return;
  accessLog?.record({
    method,
    route,
    status: response.status,
    durationMs: millisecondsSince(startedAt),
    bytes: bodyBytes(response),
    workspaceId: workspaceId ?? null,
    requestId: id,
  });
}

async function toResponse(
  request: Request,
  operation: ResponseContext,
  apiResponse: ApiResponse,
  id: string,
): Promise<Response> {
  const { status, content } = apiResponse;
  if (content.kind === "none") return new Response(null, { status, headers: headersOf(apiResponse, id) });
  if (content.kind === "stream") {
    // Neither compressed nor tagged, so that each part is sent at once.
    // The framing is sent for HEAD too, which would otherwise claim a length of 0.
    const framing =
      content.length === undefined ? { "Transfer-Encoding": "chunked" } : { [lengthField]: String(content.length) };
    const headers = { ...headersOf(apiResponse, id), "Content-Type": content.type, ...framing };
    return new Response(content.stream, { status, headers });
  }
  const isJson = content.kind === "json";
  const fixed = isJson ? content.fixed : undefined;
  const bytes = isJson ? (fixed?.plain ?? (await jsonBytes(content.value))) : content.bytes;
  // Bytes of other types, such as PNG, are already compressed.
  const encoding = isJson ? chooseEncoding(request.headers.get("accept-encoding"), bytes.byteLength) : undefined;
  const headers: Record<string, string> = {
    ...headersOf(apiResponse, id),
    ...(isJson ? { Vary: "Accept-Encoding" } : {}),
  };

  const tag = isJson && status < 300 ? await (fixed?.tag() ?? tagOf(operation, content.value, bytes)) : undefined;
  if (tag !== undefined) {
    headers["ETag"] = `"${tag}${encoding === undefined ? "" : `-${encoding}`}"`;
    // A browser may cache the response, but revalidates it each time.
    headers["Cache-Control"] = "private, no-cache";
    if (operation.known !== undefined && matchesTag(operation.known, tag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  const compressed =
    encoding === undefined ? bytes : await (fixed?.compressed(encoding) ?? compress(bytes, encoding, "once"));
  if (encoding !== undefined) headers["Content-Encoding"] = encoding;
  headers["Content-Type"] = isJson ? "application/json" : content.type;
  headers["Content-Length"] = String(compressed.byteLength);
  return new Response(request.method === "HEAD" ? null : compressed, { status, headers });
}

function headersOf({ headers }: ApiResponse, id: string): Record<string, string> {
  return { ...sharedHeaders, "X-Request-Id": id, ...headers };
}

async function tagOf({ tag }: ResponseContext, value: unknown, bytes: Uint8Array): Promise<string | undefined> {
  if (tag === "none") return undefined;
  return tag === "object" ? await objectTag(value, bytes) : await bodyTag(bytes);
}

/** Returns the client's request id if it is safe to log, else a new one. */
function requestId(request: Request): string {
  const given = request.headers.get("x-request-id") ?? "";
  return /^[\w.-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}
