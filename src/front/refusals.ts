/** The answers of the front itself, in the shape of the API's problems: it does not know yet whom a request is for. */
import { randomUUID } from "node:crypto";
import type { ProblemCode } from "../base/problem.ts";
import { type Answer, answerOf } from "../redirects/answer.ts";

const retryAfterSeconds = 5;

/** A head that is longer than any browser's. */
export const headTooLong = refusal(
  431,
  "request_headers_too_large",
  "The request line and the header fields have at most 16 KiB.",
);

/** The same from the HTTP server behind the front. */
export function headTooLongResponse(): Response {
  const response = headTooLong.response();
  response.headers.set("X-Request-Id", randomUUID());
  return response;
}

/** A request that is no HTTP/1.1, or whose end could be understood in two ways. */
export const malformed = refusal(400, "bad_request", "The request is not valid HTTP/1.1.");

/** RFC 9112, 3.2. */
export const twoHosts = refusal(400, "bad_request", "Send the header Host once.");

/** A method that no path has (RFC 9110, 9.1). */
export const methodUnknown = refusal(501, "method_not_allowed", "This service does not know the request's method.");

/** A body beyond the largest that an operation takes. */
export const bodyTooLong = refusal(413, "payload_too_large", "The body may have at most 4194304 bytes.");

/** The answer takes too long to make, or there is no room for one more connection to the HTTP server. */
export const busy = refusal(503, "unavailable", "The service is too busy at the moment; try again in a few seconds.");

/** Something of ours failed; the log says what. */
export const fault = answerOf(500, { "Content-Type": "text/plain" }, "Something went wrong on our side.\n");

function refusal(status: number, code: ProblemCode, message: string): Answer {
  const fields = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return answerOf(
    status,
    status === 503 ? { ...fields, "Retry-After": String(retryAfterSeconds) } : fields,
    JSON.stringify({ error: { code, message } }),
  );
}
