import { z } from "@hono/zod-openapi";
import type { Endpoint } from "./endpoint.ts";
import { hasIgnored } from "./ignored-names.ts";

type HeaderObject = { description: string; schema: { type: "string" | "integer" } };

/** TABLE of the header fields of responses; each is described once and referenced by its name. */
export const headers = {
  "X-Request-Id": text("The id of this request in the server's log."),
  "RateLimit-Limit": count(
    "Calls per minute of the user, or of the workspace if it has fewer left; absent without a limit.",
  ),
  "RateLimit-Remaining": count("Calls left of this limit."),
  "RateLimit-Reset": count("Seconds until all calls are available again."),
  "X-RateLimit-Limit": count("Same as RateLimit-Limit."),
  "X-RateLimit-Remaining": count("Same as RateLimit-Remaining."),
  "X-RateLimit-Reset": count("Same as RateLimit-Reset."),
  "Retry-After": count("Seconds until a retry."),
  "WWW-Authenticate": text("Bearer."),
  "Content-Disposition": text("attachment, with a file name."),
  "X-Clicks": count("The number of clicks in the response."),
  ETag: text("The entity tag, for If-None-Match; of an object, also for If-Match."),
  Link: text('URLs of other pages: rel="first", "prev" and "next".'),
  "Waypost-Truncated": text("true if more rows exist than the response holds; absent otherwise."),
  "Idempotency-Replayed": text("true if the response is that of an earlier call."),
  "Waypost-Ignored": text("Names of Dub's API in the call that have no effect here. Absent if there are none."),
  "Waypost-Warning": text(
    'Warnings about a successful call: a list of codes, each with a message (RFC 9651): `key_reused;message="..."`. Absent without warnings.',
  ),
} as const satisfies Record<string, HeaderObject>;

function text(description: string): HeaderObject {
  return { description, schema: { type: "string" } };
}

function count(description: string): HeaderObject {
  return { description, schema: { type: "integer" } };
}

type HeaderName = keyof typeof headers;
/** References to header fields of the table, by their names. */
type HeaderReferences = Record<string, { $ref: string }>;

function references(names: readonly HeaderName[]): HeaderReferences {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const limits = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
] as const;

/** Returns the header fields of an operation's successful response. */
export function responseHeaders(endpoint: Endpoint, returnsObject: boolean): HeaderReferences {
  const { method, isPaged, mayTruncate, isStreamed, isLive, countsClicks, scope, querySchema } = endpoint;
  const isPublic = scope === "none";
  const hasTag = (method === "get" && isStreamed !== true) || (method === "patch" && returnsObject);
  return references([
    "X-Request-Id",
    ...namesIf(!isPublic, ...limits, "Waypost-Warning"),
    ...namesIf(!isPublic || hasIgnored(querySchema), "Waypost-Ignored"),
    ...namesIf(hasTag, "ETag"),
    ...namesIf(isPaged, "Link"),
    ...namesIf(mayTruncate, "Waypost-Truncated"),
    ...namesIf(isStreamed === true && isLive !== true, "Content-Disposition"),
    ...namesIf(countsClicks, "X-Clicks"),
    ...namesIf(isIdempotent(endpoint), "Idempotency-Replayed"),
  ]);
}

function namesIf(condition: boolean | undefined, ...names: HeaderName[]): HeaderName[] {
  return condition === true ? names : [];
}

/** The header fields of 304, which has no body. */
export const notModifiedHeaders = references(["X-Request-Id", "ETag"]);

/** Returns the header fields of a problem with this status. */
export function problemHeaders(status: number): HeaderReferences {
  // The server refuses such a request before it reads the path.
  if (status === 431) return references(["X-Request-Id"]);
  if (status === 401) return references(["X-Request-Id", "WWW-Authenticate"]);
  const isTemporary = status === 429 || status === 503;
  return references(["X-Request-Id", ...limits, ...namesIf(isTemporary, "Retry-After")]);
}

/** The id of a live event. */
export const lastEventIdExample = "0f8fad5bd9cb469fa16570867728950e.131416";

const tagExample = '"q8sYx1kQ9m2b7d0wTzUeVA.Zx0b4c1nR5p8t2y6u9i3oA"';

/** Returns the header fields that an operation reads. `hasReader` is true when GET on its path returns the object. */
export function headerParameters(endpoint: Endpoint, hasReader: boolean): z.ZodObject {
  const { method, isStreamed, isResumable } = endpoint;
  if (method === "post") return z.object(isIdempotent(endpoint) ? { "Idempotency-Key": idempotencyKey } : {});
  if (isResumable === true) return z.object({ "Last-Event-ID": lastEventId });
  if (isStreamed === true) return z.object({});
  if (method === "get") return z.object({ "If-None-Match": ifNoneMatch });
  return hasReader ? z.object({ "If-Match": ifMatch }) : z.object({});
}

/** True for operations that read Idempotency-Key. The key belongs to a user, and public operations have none. */
export function isIdempotent({ method, scope }: Pick<Endpoint, "method" | "scope">): boolean {
  return method === "post" && scope !== "none";
}

const idempotencyKey = z.string().optional().openapi({
  pattern: "^[\\x21-\\x7e]{1,255}$",
  description:
    "1 to 255 characters of your choice, such as a UUID. A repetition with the same body within 24 hours gets the same response and changes nothing.",
  example: "3f1c9a52-5d0e-4c8e-9d57-0f3c2f4f7b11",
});

const lastEventId = z.string().optional().openapi({
  description: "The id of the last event received: the stream resumes after it.",
  example: lastEventIdExample,
});

/** `*`, or entity tags in double quotes with commas between; see readTags. */
const tagsPattern = String.raw`^(\*|(W/)?"[\x21\x23-\x7e]*"( *, *(W/)?"[\x21\x23-\x7e]*"){0,99})$`;

const ifNoneMatch = z.string().optional().openapi({
  pattern: tagsPattern,
  description: "Entity tags of stored responses: 304 if one of them is current.",
  example: tagExample,
});

const ifMatch = z.string().optional().openapi({
  pattern: tagsPattern,
  description: "The ETag of the object you read: 412 if the object has changed since. * matches any existing object.",
  example: tagExample,
});
