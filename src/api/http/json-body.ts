import assert from "node:assert/strict";
import { Problem } from "../../base/problem.ts";
import { mapInSlices, yieldIfSliceSpent } from "../../base/time-slices.ts";
import { requireStorable } from "./read-query.ts";

/**
 * Reads JSON bodies without blocking the event loop, which answers the visitors to short links.
 *
 * 1. Each operation limits the bytes and the values of its body. Bytes are counted before they are buffered, values
 *    before they are parsed: a parsed body takes up to twenty times its bytes, and every value is visited several
 *    times.
 * 2. The body of a bulk call is parsed member by member: the elements of a list, or the fields of an object. Each
 *    member has the limit of a call for one link. The parser yields to the event loop between slices of the work.
 */

/** The limits of a body. */
export type BodyLimit = {
  bytesMax: number;
  /** Fields of objects and elements of lists, at every depth. */
  valuesMax: number;
  /** The limit of each element of a list and each field of an object; absent if the body is parsed as a whole. */
  member?: { bytesMax: number; valuesMax: number };
};

const linkLimit = { bytesMax: 256 * 1024, valuesMax: 5_000 };

/** TABLE of the limits of operations. */
export const bodyLimits = {
  /** For public operations. */
  public: { bytesMax: 4 * 1024, valuesMax: 50 },
  standard: { bytesMax: 64 * 1024, valuesMax: 2_000 },
  /** For one link or domain. A link with 50 rules of 90 values fits. */
  link: linkLimit,
  /** For many links at once. */
  bulk: { bytesMax: 4 * 1024 * 1024, valuesMax: 50_000, member: linkLimit },
} as const satisfies Record<string, BodyLimit>;

/** Bytes scanned between two checks of the clock and of the number of values; about 50 µs. */
const scanBytesMax = 32 * 1024;

/** A body and the bytes it was parsed from. */
export type JsonBody = { value: unknown; bytes: Uint8Array };

/**
 * Reads a JSON body within a limit.
 * Throws "unsupported_media_type" for another content type, "payload_too_large" beyond the limit, "bad_request" for
 * invalid JSON or an aborted body, "unprocessable_entity" for texts that the database cannot store and for deep
 * nesting.
 */
export async function readJson(request: Request, limit: BodyLimit): Promise<JsonBody> {
  requireJson(request);
  const bytes = await readBounded(request, limit.bytesMax);
  if (bytes.byteLength === 0) throw new Problem("bad_request", "The body is missing; send a JSON object, such as {}.");
  const { kind, members } = await scan(bytes, limit);
  if (limit.member === undefined || kind === "other") {
    await yieldIfSliceSpent();
    return { value: parsed(bytes), bytes };
  }
  const textOf = ({ start, end }: Span) => bytes.subarray(start, end);
  if (kind === "list") return { value: await mapInSlices(members, (span) => parsed(textOf(span))), bytes };
  const fields = await mapInSlices(members, (span) => parsedField(textOf(span)));
  return { value: Object.fromEntries(fields.flatMap((field) => Object.entries(field))), bytes };
}

/** Parses one member of an object, `"name": value`, and returns an object with this field. */
function parsedField(member: Uint8Array): object {
  if (trimmed(member).end === 0) throw notJson();
  const field = parsed(Buffer.concat([openBrace, member, closeBrace]));
  assert(typeof field === "object" && field !== null, "A text in braces parses to an object.");
  return field;
}

function parsed(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw notJson(error);
  }
  requireStorable(value, "body");
  return value;
}

function notJson(cause?: unknown): Problem {
  return new Problem("bad_request", "The body is not valid UTF-8 JSON.", { cause });
}

function requireJson({ headers }: Request): void {
  const contentType = headers.get("content-type") ?? "";
  const isJson = /^application\/json\s*(;|$)/i.test(contentType);
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1] ?? "utf-8";
  if (!isJson || !/^utf-?8$/i.test(charset)) {
    throw new Problem(
      "unsupported_media_type",
      "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
    );
  }
  if (!/^(identity)?$/i.test(headers.get("content-encoding")?.trim() ?? "")) {
    throw new Problem("unsupported_media_type", "Send the body as it is, without Content-Encoding.");
  }
}

async function readBounded(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = new Problem("payload_too_large", `The body must have at most ${bytesMax} bytes.`);
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > bytesMax) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let read = 0;
  try {
    // A body with a Content-Length has no more bytes than that, and reading it at once is several times as fast.
    if (length !== null) return new Uint8Array(await request.arrayBuffer());
    for await (const chunk of request.body ?? []) {
      read += chunk.byteLength;
      if (read > bytesMax) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    // Reading fails only with the connection: the client has disconnected, which is not a server error.
    throw new Problem("bad_request", "The body ended early.", { cause: error });
  }
  return Buffer.concat(chunks, read);
}

type Span = { start: number; end: number };
/** The kind of a body, and the spans of its elements or fields; none for other kinds. */
type Scanned = { kind: "list" | "object" | "other"; members: Span[] };

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const openBrace = Buffer.from("{");
const closeBrace = Buffer.from("}");

/**
 * Counts the values of a JSON text and finds its members. Does not validate the text: parsing it, or a member, refuses
 * invalid JSON.
 * Throws "payload_too_large" beyond the limit.
 */
async function scan(bytes: Uint8Array, { valuesMax, member }: BodyLimit): Promise<Scanned> {
  const body = trimmed(bytes);
  const kind = kindOf(bytes, body);
  const members: Span[] = [];
  let start = body.start + 1;
  let depth = 0;
  let values = 0;
  let valuesBefore = 0;
  let isText = false;
  const endMember = (end: number) => {
    if (member !== undefined && kind !== "other") {
      requireWithin({ start, end }, values - valuesBefore, member);
    }
    members.push({ start, end });
    start = end + 1;
    valuesBefore = values;
  };
  for (let from = body.start; from < body.end; ) {
    const until = Math.min(body.end, from + scanBytesMax);
    let at = from;
    for (; at < until; at++) {
      const byte = bytes[at];
      if (isText) {
        if (byte === backslash) at++;
        else if (byte === quote) isText = false;
      } else if (byte === quote) isText = true;
      else if (byte === comma) {
        values++;
        if (depth === 1) endMember(at);
      } else if (byte === openList || byte === openObject) {
        values++;
        depth++;
      } else if (byte === closeList || byte === closeObject) depth--;
      // The list or object ends before the text does.
      if (depth === 0 && kind !== "other" && at < body.end - 1) throw notJson();
    }
    if (values > valuesMax) {
      throw new Problem("payload_too_large", `The body must have at most ${valuesMax} values.`);
    }
    from = at;
    await yieldIfSliceSpent();
  }
  if (kind === "other") return { kind, members: [] };
  if (isText || depth !== 0) throw notJson();
  const isEmpty = members.length === 0 && trimmed(bytes.subarray(start, body.end - 1)).end === 0;
  if (!isEmpty) endMember(body.end - 1);
  return { kind, members };
}

function kindOf(bytes: Uint8Array, { start, end }: Span): Scanned["kind"] {
  if (end - start < 2) return "other";
  if (bytes[start] === openList && bytes[end - 1] === closeList) return "list";
  return bytes[start] === openObject && bytes[end - 1] === closeObject ? "object" : "other";
}

/** Checks one member against its limit; the values include the comma before it. */
function requireWithin({ start, end }: Span, values: number, limit: { bytesMax: number; valuesMax: number }): void {
  if (end - start > limit.bytesMax) {
    throw new Problem("payload_too_large", `Each link must have at most ${limit.bytesMax} bytes.`);
  }
  if (values > limit.valuesMax + 1) {
    throw new Problem("payload_too_large", `Each link must have at most ${limit.valuesMax} values.`);
  }
}

/** Returns the span of a JSON text without the white space around it; 0 to 0 for an empty text. */
function trimmed(bytes: Uint8Array): Span {
  let start = 0;
  let end = bytes.length;
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return end > start ? { start, end } : { start: 0, end: 0 };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
