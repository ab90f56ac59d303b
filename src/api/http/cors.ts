/**
 * Cross-origin rules: any page may use the API with a key it has, and read every answer, refusals too. Nothing is sent
 * or taken by itself: there are no cookies below /v1, so an origin tells nothing.
 */

const requestHeaders = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Last-Event-ID",
  "X-Request-Id",
].join(", ");

const exposedHeaders = [
  "Content-Disposition",
  "ETag",
  "Idempotency-Replayed",
  "Link",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "Waypost-Ignored",
  "Waypost-Truncated",
  "Waypost-Warning",
  "X-Clicks",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
].join(", ");

/** A day; browsers cap it at two hours or so. */
const preflightSeconds = 86_400;

/** Header fields of every answer. */
export const sharedHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": exposedHeaders,
};

/** Whether a browser asks what a page may do, before it does it. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
}

/** Header fields of the answer to a preflight for a path with these methods. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": requestHeaders,
    "Access-Control-Max-Age": String(preflightSeconds),
  };
}
