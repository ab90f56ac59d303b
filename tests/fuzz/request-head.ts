/**
 * The listener's parser of requests, compared with http-parser-js.
 *
 * 1. The pieces in which bytes arrive change nothing.
 * 2. The second parser accepts each request that the listener accepts, at the same position, with the same method,
 *    target, fields and body. The listener forwards exactly that request.
 * 3. The listener refuses more: HTTP/1.1 without Host, two Host fields, two lengths, a length with chunks, control
 *    characters, folded lines, lines that end with LF alone, methods that no path has, heads beyond its bounds. So a
 *    request that only the second parser accepts is not a failure.
 * 4. The listener accepts valid requests.
 * 5. The second parser stops after a request to upgrade the connection, which the listener answers like any other. The
 *    comparison ends there.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { cut, cuts, requestText, validRequestText } from "./http-requests.ts";
import { type ListenerReading, type ListenerRequest, readByListener } from "./http1-connection.ts";
import { type ParsedRequest, readBySecondParser } from "./second-parser.ts";
import { target } from "./target.ts";

/** The field that the listener adds to a request in HTTP/1.0. */
const addedField = "via";

/** The listener and http-parser-js agree about each request that the listener accepts. */
export const requestHead = target(
  "request-head",
  1_000,
  fc.property(requestText, validRequestText, cuts, (text, validText, places) => {
    expectAllAccepted(Buffer.from(validText, "latin1"));
    const bytes = Buffer.from(text, "latin1");
    const reading = readByListener([bytes]);
    assert.deepEqual(comparable(readByListener(cut(bytes, places))), comparable(reading));

    const second = readBySecondParser(bytes).requests;
    for (const [index, request] of reading.requests.entries()) {
      const other = second[index];
      if (other?.isUpgrade === true) return;
      if (request.kind === "visit") expectSameVisit(request, other);
      else if (!expectSameForwarded(request.bytes, other)) return;
    }
  }),
);

function expectAllAccepted(bytes: Buffer): void {
  const { requests, refusal } = readByListener([bytes]);
  assert.equal(refusal, undefined);
  assert.equal(requests.length, readBySecondParser(bytes).requests.length);
}

/**
 * A result to compare. An incomplete request counts with its head only, because its body is forwarded as it arrives.
 */
function comparable({ requests, refusal }: ListenerReading): unknown {
  return {
    // A head that is malformed and too long is refused for what is seen first.
    isRefused: refusal !== undefined,
    requests: requests.map((request) => {
      if (request.kind === "visit") return request;
      const [whole] = readBySecondParser(request.bytes).requests;
      return whole ?? request.bytes.toString("latin1", 0, request.bytes.indexOf("\r\n\r\n"));
    }),
  };
}

function expectSameVisit(
  { visit }: Extract<ListenerRequest, { kind: "visit" }>,
  other: ParsedRequest | undefined,
): void {
  assert(other !== undefined, "The second parser does not accept a visit.");
  assert.deepEqual([visit.method, `/${visit.path}${visit.query}`], [other.method, other.url]);
  assert.equal(other.body.length, 0);
  for (const [name, value] of Object.entries(visit.headers)) {
    if (name === "isLast") continue;
    const values: string[] = other.fields.flatMap(([known, text]) => (known === name ? [text] : []));
    assert.equal(value, values.length === 0 ? undefined : values.join(", "), name);
  }
}

/** False for a request that has not come whole. */
function expectSameForwarded(bytes: Buffer, other: ParsedRequest | undefined): boolean {
  const { requests, isRefused, isAtEnd } = readBySecondParser(bytes);
  assert(!isRefused, "The second parser refuses a request that the listener forwards.");
  const [request] = requests;
  if (request === undefined) return false;
  if (request.isUpgrade) return false;
  assert(requests.length === 1 && isAtEnd, "More than one request is forwarded as one.");
  assert(other !== undefined, "The second parser does not find a request that the listener forwards.");
  const isHttp10 = request.fields.some(([name, value]) => name === addedField && value === "1.0 waypost");
  const fields = isHttp10 ? request.fields.slice(0, -1) : request.fields;
  assert.deepEqual({ ...request, fields }, other);
  return true;
}
