import type { App } from "../../app.ts";
import { lengthField } from "../../base/http10.ts";
import { chooseEncoding, compress } from "./compression.ts";
import { sharedHeaders } from "./cors.ts";
import { bodyTag, matchesTag, objectTag, type TagList } from "./entity-tag.ts";
import { jsonBytes } from "./json-bytes.ts";
import type { ApiResponse } from "./reply.ts";

/** What an answer belongs to: its operation's name for the metrics, and which ETag it gets. */
export type ResponseContext = {
  name: string;
  tag: "object" | "body" | "none";
  /** Tags of answers that the client has, by its If-None-Match. */
  known?: TagList | undefined;
};

/** What an answer belongs to when its path is not there or has not the method. */
export const noOperation: ResponseContext = { name: "none", tag: "none" };

/**
 * Writes an answer for one client: its tag, 304 where the client has it, compressed where the client takes that, and
 * the headers that every answer has. HEAD gets the headers of GET.
 */
export async function writeResponse(
  app: Pick<App, "log" | "metrics">,
  request: Request,
  operation: ResponseContext,
  apiResponse: ApiResponse,
): Promise<Response> {
  const id = requestId(request);
  const response = await toResponse(request, operation, apiResponse, id);
  app.metrics.requests.inc({ operation: operation.name, status: String(response.status) });
  if (apiResponse.problem !== undefined && apiResponse.status >= 500) {
    const { message, cause } = apiResponse.problem;
    app.log.error(message, { operation: operation.name, requestId: id, cause });
  }
  return response;
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
    // Neither packed nor tagged, so that each part goes out when it is there.
    // Said for HEAD too, which would otherwise claim a length of 0.
    const framing =
      content.length === undefined ? { "Transfer-Encoding": "chunked" } : { [lengthField]: String(content.length) };
    const headers = { ...headersOf(apiResponse, id), "Content-Type": content.type, ...framing };
    return new Response(content.stream, { status, headers });
  }
  const isJson = content.kind === "json";
  const bytes = isJson ? await jsonOf(content) : content.bytes;
  // Bytes of other types, such as PNG, are packed already.
  const encoding = isJson ? chooseEncoding(request.headers.get("accept-encoding"), bytes.byteLength) : undefined;
  const headers: Record<string, string> = {
    ...headersOf(apiResponse, id),
    ...(isJson ? { Vary: "Accept-Encoding" } : {}),
  };

  const tag = isJson && status < 300 ? await tagOf(operation, content.value, bytes) : undefined;
  if (tag !== undefined) {
    headers["ETag"] = `"${tag}${encoding === undefined ? "" : `-${encoding}`}"`;
    // A browser may keep the answer, and asks each time whether it still holds.
    headers["Cache-Control"] = "private, no-cache";
    if (operation.known !== undefined && matchesTag(operation.known, tag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  const compressed = encoding === undefined ? bytes : await compress(bytes, encoding);
  if (encoding !== undefined) headers["Content-Encoding"] = encoding;
  headers["Content-Type"] = isJson ? "application/json" : content.type;
  headers["Content-Length"] = String(compressed.byteLength);
  return new Response(request.method === "HEAD" ? null : compressed, { status, headers });
}

function headersOf({ headers }: ApiResponse, id: string): Record<string, string> {
  return { ...sharedHeaders, "X-Request-Id": id, ...headers };
}

async function jsonOf({ value, text }: { value: unknown; text?: string }): Promise<Uint8Array<ArrayBuffer>> {
  return text === undefined ? await jsonBytes(value) : new TextEncoder().encode(text);
}

async function tagOf({ tag }: ResponseContext, value: unknown, bytes: Uint8Array): Promise<string | undefined> {
  if (tag === "none") return undefined;
  return tag === "object" ? await objectTag(value, bytes) : await bodyTag(bytes);
}

/** A caller's own id where it is fit for a log, so that both sides speak of the same request. */
function requestId(request: Request): string {
  const given = request.headers.get("x-request-id") ?? "";
  return /^[\w.-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}
