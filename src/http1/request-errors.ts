/**
 * The listener's own error responses, in the shape of the API's problems: it does not know yet what a request is for.
 */
import { randomUUID } from "node:crypto";
import { docUrl, type ProblemCode } from "../base/problem.ts";
import { answerOf } from "../redirects/answer.ts";
import { dateHeaderAndEnd } from "./date-header.ts";
import { fieldsMax } from "./request-head.ts";

const retryAfterSeconds = 5;

/** Why the listener rejects a request. */
export type RequestError = { status: number; code: ProblemCode; message: string };

/** Longer than the head of any browser. */
export const headTooLong: RequestError = {
  status: 431,
  code: "request_headers_too_large",
  message: "The request line and the header fields have at most 16 KiB.",
};

/** More header fields than any browser sends. */
export const tooManyFields: RequestError = {
  status: 431,
  code: "request_headers_too_large",
  message: `A request has at most ${fieldsMax} header fields.`,
};

/** Not HTTP/1.1, or a request whose end is ambiguous. */
export const malformed: RequestError = {
  status: 400,
  code: "bad_request",
  message: "The request is not valid HTTP/1.1.",
};

/** RFC 9112, 3.2. */
export const twoHosts: RequestError = { status: 400, code: "bad_request", message: "Send the header Host once." };

/** A method that no path accepts (RFC 9110, 9.1). */
export const methodUnknown: RequestError = {
  status: 501,
  code: "method_not_allowed",
  message: "This service does not know the request's method.",
};

/** A body larger than any operation accepts. */
export const bodyTooLong: RequestError = {
  status: 413,
  code: "payload_too_large",
  message: "The body must have at most 4194304 bytes.",
};

/** The answer takes too long, or the limits allow no further proxy connection to the HTTP server. */
export const busy: RequestError = {
  status: 503,
  code: "unavailable",
  message: "The service is too busy at the moment; try again in a few seconds.",
};

/** An internal error, which is logged. */
export const internalError = answerOf(500, { "Content-Type": "text/plain" }, "The service failed unexpectedly.\n");

/**
 * The last response on a connection, as HTTP/1.1 text. It links to the code's documentation once the app's URL is
 * known; a response to HEAD has no body.
 */
export function requestErrorText(
  { status, code, message }: RequestError,
  { appUrl, isForHead }: { appUrl: URL | undefined; isForHead: boolean },
): string {
  const fields = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    ...(status === 503 ? { "Retry-After": String(retryAfterSeconds) } : {}),
  };
  const documented = appUrl === undefined ? {} : { doc_url: docUrl(code, appUrl) };
  const { head, body } = answerOf(status, fields, JSON.stringify({ error: { code, message, ...documented } }));
  return `${head}X-Request-Id: ${randomUUID()}\r\nConnection: close\r\n${dateHeaderAndEnd()}${isForHead ? "" : body}`;
}
