import { z } from "@hono/zod-openapi";
import type { Endpoint } from "./endpoint.ts";

type HeaderObject = { description: string; schema: { type: "string" | "integer" } };

/** TABLE of the header fields that answers have, each described once and referred to by its name. */
export const headers = {
  "X-Request-Id": text("Names this request in the server's log."),
  "RateLimit-Limit": count("Calls a minute that the key may make; absent where no limit is set."),
  "RateLimit-Remaining": count("Calls that the key has left now."),
  "RateLimit-Reset": count("Seconds until all of them are there again."),
  "X-RateLimit-Limit": count("As RateLimit-Limit."),
  "X-RateLimit-Remaining": count("As RateLimit-Remaining."),
  "X-RateLimit-Reset": count("As RateLimit-Reset."),
  "Retry-After": count("Seconds after which to try again."),
  "WWW-Authenticate": text("Bearer."),
  "Content-Disposition": text("attachment, with a name for the file."),
  "X-Clicks": count("How many clicks the answer holds."),
  ETag: text("The answer's tag, for If-None-Match; an object's for If-Match too."),
  Link: text('Addresses of other pages: rel="first", "prev" and "next".'),
  "Waypost-Truncated": text("true where there are more rows than the answer holds; absent otherwise."),
  "Idempotency-Replayed": text("true where the call was carried out before."),
  "Waypost-Ignored": text("Names of Dub's API that the call used and that have no effect here. Absent without any."),
  "Waypost-Warning": text(
    'Warnings about a call that succeeded, a list of codes with a message each (RFC 9651): `key_reused;message="..."`. Absent without warnings.',
  ),
} as const satisfies Record<string, HeaderObject>;

function text(description: string): HeaderObject {
  return { description, schema: { type: "string" } };
}

function count(description: string): HeaderObject {
  return { description, schema: { type: "integer" } };
}

type HeaderName = keyof typeof headers;
/** References to headers of the table. */
export type HeaderReferences = Record<string, { $ref: string }>;

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

/** What the answers of an operation have in their headers, where all went well. */
export function responseHeaders(
  { method, isPaged, mayTruncate, isStreamed, isLive, scope }: Endpoint,
  returnsObject: boolean,
): HeaderReferences {
  const hasTag = (method === "get" && isStreamed !== true) || (method === "patch" && returnsObject);
  return references([
    "X-Request-Id",
    ...(scope === "none" ? [] : [...limits, "Waypost-Warning" as const, "Waypost-Ignored" as const]),
    ...(hasTag ? (["ETag"] as const) : []),
    ...(isPaged === true ? (["Link"] as const) : []),
    ...(mayTruncate === true ? (["Waypost-Truncated"] as const) : []),
    ...(isStreamed === true && isLive !== true ? (["Content-Disposition", "X-Clicks"] as const) : []),
    ...(method === "post" ? (["Idempotency-Replayed"] as const) : []),
  ]);
}

/** What an answer without a body has in its headers, since the client has that body. */
export const notModifiedHeaders = references(["X-Request-Id", "ETag"]);

/** What the refusal of a status has in its headers. */
export function problemHeaders(status: number): HeaderReferences {
  // Refused before it is known what the request is for.
  if (status === 431) return references(["X-Request-Id"]);
  if (status === 401) return references(["X-Request-Id", "WWW-Authenticate"]);
  const isPassing = status === 429 || status === 503;
  return references(["X-Request-Id", ...limits, ...(isPassing ? (["Retry-After"] as const) : [])]);
}

/** The id of a live event. */
export const lastEventIdExample = "0f8fad5bd9cb469fa16570867728950e.131416";

const tagExample = '"q8sYx1kQ9m2b7d0wTzUeVA.Zx0b4c1nR5p8t2y6u9i3oA"';

/** The header fields that an operation reads; `hasReader` where GET on its path answers the object it changes. */
export function headerParameters({ method, isStreamed, isLive }: Endpoint, hasReader: boolean): z.ZodObject {
  if (method === "post") return z.object({ "Idempotency-Key": idempotencyKey });
  if (isLive === true) return z.object({ "Last-Event-ID": lastEventId });
  if (isStreamed === true) return z.object({});
  if (method === "get") return z.object({ "If-None-Match": ifNoneMatch });
  return hasReader ? z.object({ "If-Match": ifMatch }) : z.object({});
}

const idempotencyKey = z.string().optional().openapi({
  pattern: "^[\\x21-\\x7e]{1,255}$",
  description:
    "1 to 255 characters of your choice, such as a UUID. Sent again within 24 hours with the same body, the call is answered as before and not carried out again.",
  example: "3f1c9a52-5d0e-4c8e-9d57-0f3c2f4f7b11",
});

const lastEventId = z.string().optional().openapi({
  description: "The id of the last event you have: everything stored since comes first, once.",
  example: lastEventIdExample,
});

/** `*`, or tags in double quotes with commas between; see readTags. */
const tagsPattern = String.raw`^(\*|(W/)?"[\x21\x23-\x7e]*"( *, *(W/)?"[\x21\x23-\x7e]*"){0,99})$`;

const ifNoneMatch = z.string().optional().openapi({
  pattern: tagsPattern,
  description: "Tags of answers you have: 304 where one of them still holds.",
  example: tagExample,
});

const ifMatch = z.string().optional().openapi({
  pattern: tagsPattern,
  description: "The ETag you decided by: 412 where somebody has changed the object since. * means whatever is there.",
  example: tagExample,
});
