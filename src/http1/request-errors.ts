/** The answers of the front itself, in the shape of the API's problems: it does not know yet whom a request is for. */
import { randomUUID } from "node:crypto";
import { docUrl, type ProblemCode } from "../base/problem.ts";
import { answerOf } from "../redirects/answer.ts";
import { dateHeaderAndEnd } from "./date-header.ts";
import { fieldsMax } from "./request-head.ts";

const retryAfterSeconds = 5;

/** Why the front refuses a request. */
export type RequestError = { status: number; code: ProblemCode; message: string };

/** A head that is longer than any browser's. */
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

/** A request that is no HTTP/1.1, or whose end could be understood in two ways. */
export const malformed: RequestError = {
  status: 400,
  code: "bad_request",
  message: "The request is not valid HTTP/1.1.",
};

/** RFC 9112, 3.2. */
export const twoHosts: RequestError = { status: 400, code: "bad_request", message: "Send the header Host once." };

/** A method that no path has (RFC 9110, 9.1). */
export const methodUnknown: RequestError = {
  status: 501,
  code: "method_not_allowed",
  message: "This service does not know the request's method.",
};

/** A body beyond the largest that an operation takes. */
export const bodyTooLong: RequestError = {
  status: 413,
  code: "payload_too_large",
  message: "The body may have at most 4194304 bytes.",
};

/** The answer takes too long to make, or there is no room for one more connection to the HTTP server. */
export const busy: RequestError = {
  status: 503,
  code: "unavailable",
  message: "The service is too busy at the moment; try again in a few seconds.",
};

/** Something of ours failed; the log says what. */
export const internalError = answerOf(500, { "Content-Type": "text/plain" }, "Something went wrong on our side.\n");

/**
 * The last response on a connection, which says why a request is refused. It names the code's documentation once the
 * app's URL is known; a response to HEAD has no body.
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
