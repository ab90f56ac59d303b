/**
 * Cross-origin rules: any page may call the API with a key and read every response, problems included. The API uses no
 * cookies below /v1, so browsers send no credentials by themselves and the origin does not matter.
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

/** One day; browsers cap it at about two hours. */
const preflightSeconds = 86_400;

/** Header fields of every response. */
export const sharedHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": exposedHeaders,
};

/** True for a CORS preflight request. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
}

/** Returns the header fields of the response to a preflight for a path with these methods. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": requestHeaders,
    "Access-Control-Max-Age": String(preflightSeconds),
  };
}
