/**
 * Finds the end of a request that is forwarded to the HTTP server (RFC 9112), so that the next request on the
 * connection waits for the response: the HTTP server closes connections with pipelined requests.
 *
 * 1. It is strict: a request whose end is ambiguous is rejected and never forwarded.
 * 2. It takes linear time in the head's length: no pattern is retried from many positions.
 */
import { bodyTooLong, malformed, methodUnknown, type RequestError, tooManyFields, twoHosts } from "./request-errors.ts";
import { fieldsMax } from "./request-head.ts";

/** How a request's body is framed; "none" for no body. */
type BodyFraming = { kind: "none" } | { kind: "length"; bytes: number } | { kind: "chunked"; bytesMax: number };

/** The received bytes that belong to the body: `taken` of them, forwarded as `bytes`. */
export type ConsumedBody = { kind: "taken"; taken: number; bytes: Buffer } | { kind: "refused"; error: RequestError };

/** Where a request's head and body end; `isLast` when the connection closes after the response. */
export type FramedRequest = {
  kind: "framed";
  method: string;
  headEnd: number;
  body: BodyFraming;
  isLast: boolean;
  isHttp10: boolean;
};

/** A framed request, a rejected one, or one whose head is incomplete. */
type RequestFraming = FramedRequest | { kind: "refused"; error: RequestError } | { kind: "incomplete" };

/**
 * Bytes of a body: twice what any operation accepts, so that operations check their own limits. Also the HTTP server's.
 */
export const bodyBytesMax = 8 * 1024 ** 2;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]);
const requestLine = /^([!#$%&'*+\-.^`|~\w]+) [^\x00-\x20\x7f]+ HTTP\/1\.([01])$/;
/** A field or trailer line. A value may contain any byte above ASCII, and no control character except a tab. */
export const fieldLine = /^([!#$%&'*+\-.^`|~\w]+):([^\x00-\x08\x0a-\x1f\x7f]*)$/;

/** Parses the head that begins at `start` of a Latin-1 text. */
export function frameRequest(text: string, start: number, bytesMax = bodyBytesMax): RequestFraming {
  const end = text.indexOf("\r\n\r\n", start);
  if (end === -1) return canBecomeHead(text.slice(start)) ? { kind: "incomplete" } : refused(malformed);
  const [line = "", ...lines] = text.slice(start, end).split("\r\n");
  const [, method, minor] = requestLine.exec(line) ?? [];
  if (method === undefined) return refused(malformed);
  if (lines.length > fieldsMax) return refused(tooManyFields);
  const fields = readFramingFields(lines);
  if (fields === undefined) return refused(malformed);
  const { hosts, lengths, codings, connections } = fields;
  if (hosts > 1) return refused(twoHosts);
  if (hosts === 0 && minor === "1") return refused(malformed);
  if (!methods.has(method)) return refused(methodUnknown);
  const body = bodyFramingOf(lengths, codings, bytesMax);
  if (body === undefined || (body.kind === "chunked" && minor === "0")) return refused(malformed);
  if (body.kind === "length" && body.bytes > bytesMax) return refused(bodyTooLong);
  // The HTTP server ends each connection in HTTP/1.0, also one that asks to be kept: a further request would meet its end.
  const isLast = minor === "0" || connections.includes("close");
  return { kind: "framed", method, headEnd: end + "\r\n\r\n".length, body, isLast, isHttp10: minor === "0" };
}

/** False for bytes that are not HTTP, such as a TLS handshake: more bytes will not complete them. */
function canBecomeHead(part: string): boolean {
  const lineEnd = part.indexOf("\r\n");
  const line = lineEnd === -1 ? part.replace(/\r$/, "") : part.slice(0, lineEnd);
  const isLine = lineEnd === -1 ? !/[\x00-\x1f\x7f]/.test(line) : requestLine.test(line);
  return isLine && !/(?<!\r)\n|\r(?!\n|$)/.test(part);
}

function refused(error: RequestError): RequestFraming {
  return { kind: "refused", error };
}

type FramingFields = { hosts: number; lengths: string[]; codings: string[]; connections: string[] };

/** The fields that frame the request; undefined when a line is not a field. */
function readFramingFields(lines: readonly string[]): FramingFields | undefined {
  const found: FramingFields = { hosts: 0, lengths: [], codings: [], connections: [] };
  for (const line of lines) {
    const [, name, value = ""] = fieldLine.exec(line) ?? [];
    if (name === undefined) return undefined;
    const trimmed = trimBlanks(value);
    switch (name.toLowerCase()) {
      case "host":
        found.hosts++;
        break;
      case "content-length":
        found.lengths.push(trimmed);
        break;
      case "transfer-encoding":
        found.codings.push(trimmed);
        break;
      case "connection":
        found.connections.push(...trimmed.toLowerCase().split(",").map(trimBlanks));
        break;
    }
  }
  return found;
}

/** A value without surrounding spaces and tabs. */
function trimBlanks(value: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && isBlank(value.charCodeAt(from))) from++;
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--;
  return value.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function bodyFramingOf(
  lengths: readonly string[],
  codings: readonly string[],
  bytesMax: number,
): BodyFraming | undefined {
  const [length] = lengths;
  const [coding] = codings;
  if (coding !== undefined) {
    const isChunked = codings.length === 1 && lengths.length === 0 && coding.toLowerCase() === "chunked";
    return isChunked ? { kind: "chunked", bytesMax } : undefined;
  }
  if (length === undefined) return { kind: "none" };
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) return undefined;
  return length === "0" ? { kind: "none" } : { kind: "length", bytes: Number(length) };
}
