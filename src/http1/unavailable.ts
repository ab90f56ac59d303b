import { randomUUID } from "node:crypto";

const message = "The service is starting; try again in a second.";
const retryAfterSeconds = 1;

/**
 * The response to a request while the main process is down, as HTTP/1.1 text, after which the connection closes.
 * `request` is the beginning of the request.
 */
export function unavailableText(request: string): string {
  const [, method = "", path = ""] = /^([A-Z]+) (?:https?:\/\/[^/?# ]*)?([^?# ]*)/.exec(request) ?? [];
  const { type, body } = unavailableBody(path);
  const fields = [
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Retry-After: ${retryAfterSeconds}`,
    "Cache-Control: no-store",
    `X-Request-Id: ${randomUUID()}`,
    "Connection: close",
  ];
  return `HTTP/1.1 503 Service Unavailable\r\n${fields.join("\r\n")}\r\n\r\n${method === "HEAD" ? "" : body}`;
}

/** The same as a Response to a request for `path`. */
export function unavailableResponse(path: string): Response {
  const { type, body } = unavailableBody(path);
  const headers = { "Content-Type": type, "Retry-After": String(retryAfterSeconds), "Cache-Control": "no-store" };
  return new Response(body, { status: 503, headers });
}

/** JSON in the API's shape below /v1, and text elsewhere. */
function unavailableBody(path: string): { type: string; body: string } {
  if (!/^\/v1(\/|$)/.test(path)) return { type: "text/plain", body: `${message}\n` };
  return { type: "application/json", body: JSON.stringify({ error: { code: "unavailable", message } }) };
}
