import { z } from "@hono/zod-openapi";
import { docUrl, Problem, type ProblemCode, problemStatus } from "../../base/problem.ts";
import { isDatabaseMoved, isDatabaseUnavailable } from "../../database/availability.ts";

/** The body of every response that is a problem. */
export const ProblemBody = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(problemStatus) as [ProblemCode, ...ProblemCode[]]),
      message: z.string(),
      doc_url: z.string().optional(),
    }),
  })
  .openapi("Problem");

/**
 * Turns any thrown value into a problem with that value as its cause: "unavailable" if the database cannot be reached
 * or written now, so that clients retry, and "internal_server_error" otherwise.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseMoved(error)) {
    return new Problem(
      "unavailable",
      "The data was moved to another database. Nothing can be changed until the operator restarts the service.",
      { cause: error },
    );
  }
  if (isDatabaseUnavailable(error)) {
    return new Problem("unavailable", "The database cannot answer at the moment; try again in a few seconds.", {
      cause: error,
    });
  }
  return new Problem(
    "internal_server_error",
    "The service failed unexpectedly. The server's log has the error, under the X-Request-Id.",
    {
      cause: error,
    },
  );
}

/** Returns the body of the response for a problem. */
export function problemBody(problem: Problem, appUrl: URL): z.input<typeof ProblemBody> {
  const message = problem.hint === undefined ? problem.message : `${problem.message} ${problem.hint}`;
  return { error: { code: problem.code, message, doc_url: docUrl(problem.code, appUrl) } };
}

/** TABLE of what each code means to a caller, for the reference. */
export const problemDescriptions: Record<ProblemCode, string> = {
  bad_request: "The request cannot be read: malformed JSON, or a header of the wrong form.",
  unauthorized: "The API key is missing, unknown, expired or revoked.",
  forbidden: "The key's scopes or your role do not allow this, or the domain is not yours.",
  not_found: "No such object in your workspace.",
  method_not_allowed: "The path exists, but not with this method; the Allow header lists its methods.",
  conflict: "The object conflicts with an existing one.",
  precondition_failed: "The object has changed since you read it.",
  payload_too_large: "The body has more bytes or values than this operation accepts.",
  unsupported_media_type: "The body must be JSON, with Content-Type: application/json.",
  unprocessable_entity: "A value is invalid; the message names the field and its valid values.",
  rate_limit_exceeded: "Too many requests; Retry-After says when to retry.",
  request_headers_too_large:
    "The request line and the header fields have more than 16 KiB, or there are more than 100 fields.",
  internal_server_error: "A server error.",
  unavailable: "A part of the service is temporarily unavailable; try again.",
};
