/**
 * Parses the head of a request that a short link can answer: a GET or HEAD without a body, as nearly all visitors send.
 *
 * 1. It is strict: any unusual request is "other" and goes to the runtime's HTTP server, byte for byte. So exactly one
 *    parser decides where a request ends.
 * 2. A head it accepts announces no body, so the next request begins right after it.
 * 3. The text is Latin-1, one character per byte. All values it uses are ASCII; fields that it ignores may contain
 *    other characters, which the HTTP server allows too.
 */
import type { FieldName, HeaderFields } from "../base/header-fields.ts";
import { HeaderValueCache, headerValue } from "./header-value-cache.ts";

/** The parsed head of a request. */
export type RequestHead = {
  kind: "head";
  method: "GET" | "HEAD";
  /** Without its leading slash, still percent-encoded. */
  path: string;
  /** With its "?", or "". */
  query: string;
  headers: HeaderFields;
  /** True when the client wants the connection closed after the response. */
  isLast: boolean;
  /** The offset of the next request. */
  end: number;
};

/** A parsed head, an incomplete one, or one for the HTTP server. */
type RequestHeadResult = RequestHead | { kind: "incomplete" } | { kind: "other" };

const incomplete: RequestHeadResult = { kind: "incomplete" };
const other: RequestHeadResult = { kind: "other" };

const version = " HTTP/1.1\r";

/** Bytes of a head. */
export const headBytesMax = 16 * 1024;
/** Header fields of a request. Browsers send about twenty; the HTTP server rejects 200 without an error body. */
export const fieldsMax = 100;

/** Parses the head that begins at `start`. */
export function parseRequestHead(text: string, start: number): RequestHeadResult {
  const method = methodAt(text, start);
  if (method === undefined)
    return "HEAD /".startsWith(text.slice(start)) || "GET /".startsWith(text.slice(start)) ? incomplete : other;
  const targetStart = start + method.length + 1;
  const lineEnd = text.indexOf("\n", targetStart);
  if (lineEnd === -1) return incomplete;
  const targetEnd = lineEnd - version.length;
  if (targetEnd <= targetStart || !text.startsWith(version, targetEnd)) return other;
  const target = text.slice(targetStart + 1, targetEnd);
  const isSimple = simpleTarget.test(target);
  if (!isSimple && !normalTarget.test(`/${target}`)) return other;
  const headers = new Fields();
  const end = readFields(text, lineEnd + 1, headers);
  if (end === isIncomplete) return incomplete;
  if (end === isOther || headers.host === undefined || end - start > headBytesMax) return other;
  const queryStart = isSimple ? -1 : target.indexOf("?");
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const query = queryStart === -1 ? "" : target.slice(queryStart);
  return { kind: "head", method, path, query, headers, isLast: headers.isLast, end };
}

/** True when the head that begins at `start` is too long, complete or not. */
export function isHeadTooLong(text: string, start: number): boolean {
  if (text.length - start <= headBytesMax) return false;
  const end = text.indexOf("\r\n\r\n", start);
  return end === -1 || end + "\r\n\r\n".length - start > headBytesMax;
}

function methodAt(text: string, start: number): RequestHead["method"] | undefined {
  if (text.startsWith("GET /", start)) return "GET";
  return text.startsWith("HEAD /", start) ? "HEAD" : undefined;
}

/** Most targets, without the leading slash. */
const simpleTarget = /^[\w-]*$/;
/** A target that URL parsers leave unchanged: no backslash, no dot segments, nothing to percent-encode. */
const normalTarget = /^\/(?:(?!(?<=\/)(?:\.|%2e))[\w\-.~%!$&()*+,;=:@/])*(?:\?[\w\-.~%!$&()*+,;=:@/?]*)?$/i;

class Fields implements Record<FieldName, string | undefined> {
  host: string | undefined = undefined;
  "user-agent": string | undefined = undefined;
  referer: string | undefined = undefined;
  "accept-language": string | undefined = undefined;
  "x-forwarded-for": string | undefined = undefined;
  "x-forwarded-proto": string | undefined = undefined;
  "sec-purpose": string | undefined = undefined;
  purpose: string | undefined = undefined;
  "x-purpose": string | undefined = undefined;
  "x-moz": string | undefined = undefined;
  dnt: string | undefined = undefined;
  "sec-gpc": string | undefined = undefined;
  "dub-no-track": string | undefined = undefined;
  isLast = false;
}

/** Returned instead of the end of the head, which is positive. */
const isIncomplete = 0;
const isOther = -1;

/** Parses field lines from `start` on and returns the end of the head. */
function readFields(text: string, start: number, fields: Fields): number {
  let lineStart = start;
  for (let lines = 0; lines <= fieldsMax; lines++) {
    const lineEnd = text.indexOf("\n", lineStart);
    if (lineEnd === -1) return isIncomplete;
    // The line may contain no other CR, which some parsers treat as a line end.
    if (text.indexOf("\r", lineStart) !== lineEnd - 1) return isOther;
    if (lineEnd === lineStart + 1) return lineEnd + 1;
    if (!readField(text, lineStart, lineEnd - 1, fields)) return isOther;
    lineStart = lineEnd + 1;
  }
  return isOther;
}

/** Parses one field line; false when the HTTP server must handle the request. */
function readField(text: string, start: number, end: number, fields: Fields): boolean {
  const nameEnd = nameEndAt(text, start, end);
  if (nameEnd === -1) return false;
  const name = nameAt(text, start, nameEnd);
  if (name === undefined) return true;
  const value = headerValueOf(text, name, nameEnd + 1, end);
  if (value === undefined) return false;
  switch (name) {
    case "host":
      if (fields.host !== undefined) return false;
      fields.host = value;
      return true;
    case "connection":
      return readConnection(value, fields);
    case "content-length":
    case "transfer-encoding":
    case "upgrade":
    case "expect":
      return false;
    default: {
      const before = fields[name];
      fields[name] = before === undefined ? value : `${before}, ${value}`;
      return true;
    }
  }
}

const colon = 0x3a;
/** 1 for the code of each character allowed in a name (RFC 9110, 5.6.2). */
const inNames = Uint8Array.from({ length: 256 }, (_, code) =>
  Number(/[\w!#$%&'*+\-.^`|~]/.test(String.fromCharCode(code))),
);

/** The offset of the colon after the name; -1 for an invalid name, such as that of a folded line. */
function nameEndAt(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && inNames[text.charCodeAt(at)] === 1) at++;
  return at > start && at < end && text.charCodeAt(at) === colon ? at : -1;
}

/** Fields that frame the request or control its connection. */
type FramingName = "connection" | "content-length" | "transfer-encoding" | "upgrade" | "expect";
type KnownName = FieldName | FramingName;

/** TABLE of the known names by length. */
const namesByLength: readonly (readonly KnownName[])[] = byLength([
  "host",
  "user-agent",
  "referer",
  "accept-language",
  "x-forwarded-for",
  "x-forwarded-proto",
  "sec-purpose",
  "purpose",
  "x-purpose",
  "x-moz",
  "dnt",
  "sec-gpc",
  "dub-no-track",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

function byLength(names: readonly KnownName[]): KnownName[][] {
  const longest = Math.max(...names.map(({ length }) => length));
  return Array.from({ length: longest + 1 }, (_, length) => names.filter((name) => name.length === length));
}

function nameAt(text: string, start: number, end: number): KnownName | undefined {
  const candidates = namesByLength[end - start];
  if (candidates === undefined) return undefined;
  for (const name of candidates) {
    if (isSameName(text, start, name)) return name;
  }
  return undefined;
}

/** Turns an ASCII letter into lower case and keeps "-". */
const lowerCaseBit = 0x20;

function isSameName(text: string, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    if ((text.charCodeAt(start + at) | lowerCaseBit) !== name.charCodeAt(at)) return false;
  }
  return true;
}

const space = 0x20;
const tab = 0x09;

const headerValues = new HeaderValueCache();

/** The value without surrounding blanks; undefined for one with a control character. */
function headerValueOf(text: string, name: KnownName, start: number, end: number): string | undefined {
  let first = start;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first++;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
  // Visitors' addresses rarely repeat: caching them evicted the values that do, which took a seventh of a redirect.
  return name === "x-forwarded-for" ? headerValue(text, first, last) : headerValues.of(text, first, last);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}

function readConnection(value: string, fields: Fields): boolean {
  const option = value.toLowerCase();
  // If the field is sent twice, one "close" is enough.
  if (option === "close") fields.isLast = true;
  return option === "close" || option === "keep-alive";
}
