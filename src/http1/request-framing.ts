/**
 * Where a request that is handed on to the HTTP server ends (RFC 9112), so that the next one on its connection waits
 * until the answer has been sent: the HTTP server closes a connection on which requests are pipelined.
 *
 * 1. It is strict: a request whose end could be understood in two ways is refused, and never handed on.
 * 2. It costs time in proportion to the head's length: no pattern is tried from each of many positions.
 */
import { bodyTooLong, malformed, methodUnknown, type RequestError, tooManyFields, twoHosts } from "./request-errors.ts";
import { fieldsMax } from "./request-head.ts";

/** How a request's body ends; "none" behind the head. */
export type BodyFraming = { kind: "none" } | { kind: "length"; bytes: number } | { kind: "chunked"; bytesMax: number };

/** The bytes of the body among those received: `taken` bytes of them, to be handed on as `bytes`. */
export type ConsumedBody = { kind: "taken"; taken: number; bytes: Buffer } | { kind: "refused"; error: RequestError };

/** Where a request's head and body end; `isLast` when the client wants the connection closed behind the answer. */
export type FramedRequest = {
  kind: "framed";
  method: string;
  headEnd: number;
  body: BodyFraming;
  isLast: boolean;
  isHttp10: boolean;
};

/** A request's frame, or why it is refused, or that more of its head has to come. */
export type RequestFraming = FramedRequest | { kind: "refused"; error: RequestError } | { kind: "incomplete" };

/** Bytes of a body: twice what any operation takes, so that each refuses its own. The HTTP server has the same bound. */
export const bodyBytesMax = 8 * 1024 ** 2;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]);
const requestLine = /^([!#$%&'*+\-.^`|~\w]+) [^\x00-\x20\x7f]+ HTTP\/1\.([01])$/;
/** A field and a trailer. Any byte above ASCII may stand in a value, no control character but a tab. */
export const fieldLine = /^([!#$%&'*+\-.^`|~\w]+):([^\x00-\x08\x0a-\x1f\x7f]*)$/;

/** Reads the head that begins at `start` of a text that has a character of Latin-1 for each byte. */
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
  const isLast = connections.includes("close") || (minor === "0" && !connections.includes("keep-alive"));
  return { kind: "framed", method, headEnd: end + "\r\n\r\n".length, body, isLast, isHttp10: minor === "0" };
}

/** What is no HTTP, such as the greeting of TLS, is not waited for. */
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

/** What the fields say about the request's end; undefined for a line that is no field. */
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

/** A value without the spaces and tabs around it. */
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
