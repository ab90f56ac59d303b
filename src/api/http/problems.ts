import { z } from "@hono/zod-openapi";
import { docUrl, Problem, type ProblemCode, problemStatus } from "../../base/problem.ts";
import { isDatabaseUnavailable } from "../../database/availability.ts";

/** The body of every answer that is a problem. */
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
 * Turns anything thrown into a problem, with the failure as its cause: "unavailable" when the database cannot be
 * reached or written at the moment, so that clients try again, and "internal_server_error" for all the rest.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseUnavailable(error)) {
    return new Problem("unavailable", "The database cannot answer at the moment; try again in a few seconds.", {
      cause: error,
    });
  }
  return new Problem(
    "internal_server_error",
    "Something went wrong on our side. The server's log knows it by the X-Request-Id.",
    {
      cause: error,
    },
  );
}

/** The answer's body for a problem. */
export function problemBody(problem: Problem, appUrl: URL): z.input<typeof ProblemBody> {
  const message = problem.hint === undefined ? problem.message : `${problem.message} ${problem.hint}`;
  return { error: { code: problem.code, message, doc_url: docUrl(problem.code, appUrl) } };
}

/** What each code means to a caller, for the reference. */
export const problemDescriptions: Record<ProblemCode, string> = {
  bad_request: "The request cannot be read: malformed JSON, or a header of the wrong form.",
  unauthorized: "No API key, or one that is unknown, expired or revoked.",
  forbidden: "The key's scopes or your role do not allow this, or the domain is not yours.",
  not_found: "No such object in your workspace.",
  method_not_allowed: "The path exists, but not with this method; the Allow header lists those it has.",
  conflict: "Something like it is there already.",
  precondition_failed: "The object has changed since you read it.",
  payload_too_large: "The body has more bytes or values than this operation takes.",
  unsupported_media_type: "The body must be JSON, with Content-Type: application/json.",
  unprocessable_entity: "A value is not right; the message names the field and says what would be.",
  rate_limit_exceeded: "Too many requests; Retry-After says when to come back.",
  request_headers_too_large:
    "The request line and the header fields have more than 16 KiB, or there are more than 100 fields.",
  internal_server_error: "A fault of ours.",
  unavailable: "A part of the service cannot answer at the moment; try again.",
};
