import { Problem } from "../../base/problem.ts";
import { sha256InSlices } from "./json-bytes.ts";

/**
 * Entity tags (RFC 9110, 8.8.3).
 *
 * - An object's tag is `"VERSION.BODY"`: a hash of the fields that users change and a hash of the whole response. Each
 *   changed byte of the response changes the tag, so the tag is strong. The tag of a list or report is BODY alone.
 * - If-None-Match compares the whole tag. If-Match compares the version, so that visits, which increase `clicks`, do
 *   not prevent a change. Within a version, body and encoding may differ.
 * - A compressed response is another representation: its tag ends in `-zstd`, `-br` or `-gzip`.
 * - If-Match compares strongly, so a weak tag (`W/`) never matches there; If-None-Match compares weakly.
 */

/** Fields that change without a user changing the object. */
const activityFields = new Set(["clicks", "lastClicked", "leads", "conversions", "sales", "saleAmount", "lastUsedAt"]);

const tagsMax = 100;
const hashCharacters = 22;

/** Returns the opaque tag of a list, a report, or anything else that no call changes. */
export async function bodyTag(body: Uint8Array): Promise<string> {
  return (await sha256InSlices(body)).toString("base64url").slice(0, hashCharacters);
}

/** Returns the opaque tag of an object that calls can change with If-Match. */
export async function objectTag(value: unknown, body: Uint8Array): Promise<string> {
  return `${versionOf(value)}.${await bodyTag(body)}`;
}

/** Returns what If-Match compares: it changes when a user changes the object. */
export function versionOf(value: unknown): string {
  return hash(JSON.stringify(value, (name, inner: unknown) => (activityFields.has(name) ? undefined : inner)));
}

/** A parsed If-Match or If-None-Match. */
export type TagList = { kind: "any" } | { kind: "tags"; tags: { opaqueTag: string; isWeak: boolean }[] };

/** Reads If-Match or If-None-Match. Throws "bad_request" for a value that is neither `*` nor a list of tags. */
export function readTags(name: string, header: string): TagList {
  if (header.trim() === "*") return { kind: "any" };
  const items = splitTags(header);
  if (items === undefined || items.length === 0 || items.length > tagsMax) {
    throw new Problem(
      "bad_request",
      `${name}: must be * or up to ${tagsMax} entity tags in double quotes, separated by commas.`,
    );
  }
  return { kind: "tags", tags: items };
}

function splitTags(header: string): { opaqueTag: string; isWeak: boolean }[] | undefined {
  const list = /^[ \t,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(?:,[ \t,]*|$))+$/;
  if (!list.test(header)) return undefined;
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, opaqueTag = ""]) => ({
    opaqueTag: opaqueTag.replace(/-(zstd|br|gzip)$/, ""),
    isWeak: weak !== undefined,
  }));
}

/** True if the list contains the tag: If-None-Match's weak comparison. */
export function matchesTag(list: TagList, opaqueTag: string): boolean {
  return list.kind === "any" || list.tags.some((tag) => tag.opaqueTag === opaqueTag);
}

/** True if the list contains a tag of this version: If-Match's strong comparison. */
export function matchesVersion(list: TagList, version: string): boolean {
  return (
    list.kind === "any" || list.tags.some(({ opaqueTag, isWeak }) => !isWeak && opaqueTag.split(".")[0] === version)
  );
}

function hash(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, hashCharacters);
}
