import { Problem } from "../../base/problem.ts";
import { sha256InSlices } from "./json-bytes.ts";

/**
 * Entity tags (RFC 9110, 8.8.3).
 *
 * - An object's tag is `"EDITION.BODY"`: two hashes, of what people can change about it and of the whole answer. Any
 *   other byte of the answer is another tag, so it is a strong one. Another list's or report's tag is its BODY alone.
 * - If-None-Match compares all of it; If-Match the edition, so that a link's visitors, who make its `clicks` grow, do
 *   not keep anybody from changing it. Within an edition, body and encoding may differ.
 * - A compressed answer is another representation: its tag ends in `-gzip` or `-br`.
 * - If-Match compares strongly, so a weak tag (`W/`) never matches there; If-None-Match compares weakly.
 */

/** Fields of an object that change without anybody changing the object. */
const activityFields = new Set(["clicks", "lastClicked", "leads", "conversions", "sales", "saleAmount", "lastUsedAt"]);

const tagsMax = 100;
const hashCharacters = 22;

/** The tag's inside for a list, a report, or anything else that cannot be changed by itself. */
export async function bodyTag(body: Uint8Array): Promise<string> {
  return (await sha256InSlices(body)).toString("base64url").slice(0, hashCharacters);
}

/** The tag's inside for an object that can be changed by If-Match. */
export async function objectTag(value: unknown, body: Uint8Array): Promise<string> {
  return `${versionOf(value)}.${await bodyTag(body)}`;
}

/** What If-Match compares: the same until somebody changes the object. */
export function versionOf(value: unknown): string {
  return hash(JSON.stringify(value, (name, inner: unknown) => (activityFields.has(name) ? undefined : inner)));
}

/** A parsed If-Match or If-None-Match. */
export type TagList = { kind: "any" } | { kind: "tags"; tags: { opaqueTag: string; isWeak: boolean }[] };

/** Reads If-Match or If-None-Match. Throws "bad_request" for what is neither `*` nor a list of tags. */
export function readTags(name: string, header: string): TagList {
  if (header.trim() === "*") return { kind: "any" };
  const items = splitTags(header);
  if (items === undefined || items.length === 0 || items.length > tagsMax) {
    throw new Problem(
      "bad_request",
      `${name}: must be * or up to ${tagsMax} tags in double quotes as ETag gave them, with commas between.`,
    );
  }
  return { kind: "tags", tags: items };
}

function splitTags(header: string): { opaqueTag: string; isWeak: boolean }[] | undefined {
  const list = /^[ \t,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(?:,[ \t,]*|$))+$/;
  if (!list.test(header)) return undefined;
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, opaqueTag = ""]) => ({
    opaqueTag: opaqueTag.replace(/-(gzip|br)$/, ""),
    isWeak: weak !== undefined,
  }));
}

/** Whether the answer with this tag is one the client has: If-None-Match's weak comparison. */
export function matchesTag(list: TagList, opaqueTag: string): boolean {
  return list.kind === "any" || list.tags.some((tag) => tag.opaqueTag === opaqueTag);
}

/** Whether the object is still of an edition the client has seen: If-Match's strong comparison. */
export function matchesVersion(list: TagList, version: string): boolean {
  return (
    list.kind === "any" || list.tags.some(({ opaqueTag, isWeak }) => !isWeak && opaqueTag.split(".")[0] === version)
  );
}

function hash(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, hashCharacters);
}
