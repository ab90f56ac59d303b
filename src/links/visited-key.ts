import { rootKey } from "../domains/domain.ts";
import { decodedPath, foldKey, keyCharactersMax } from "./key.ts";

/** The keys that the path of a visit can name. Paths come without their leading slash, still percent-encoded. */

/** The settings of a domain that affect the keys of visits. */
type VisitedDomain = { isCaseSensitive: boolean };

/** Visitors may write a character as a letter and combining marks, where the stored key has one character. */
const decodedCharactersMax = keyCharactersMax * 3;
/** Each UTF-16 unit takes three bytes of UTF-8, percent-encoded. */
const pathCharactersMax = decodedCharactersMax * 9;
/** Segments of a path that can belong to the key of a link which forwards the rest. */
const forwardingSegmentsMax = 10;

/** Most keys equal their folded form, on domains of either kind. */
const plainKey = /^[a-z0-9-]{1,190}$/;

/** The folded key that the whole path names; undefined for an impossible key. */
export function foldedKeyOf(path: string, domain: VisitedDomain): string | undefined {
  if (path === "") return rootKey;
  if (plainKey.test(path)) return path;
  // Impossible keys are neither looked up nor cached: a flood of long paths must not fill the memory.
  if (path.length > pathCharactersMax) return undefined;
  const key = path.includes("%") ? decodedPath(path) : path;
  if (key === undefined || key.length > decodedCharactersMax) return undefined;
  // PostgreSQL refuses to compare a text with a NUL.
  if (key.includes("\0")) return undefined;
  // Keys are stored without outer slashes; people and programs add a trailing one.
  const folded = foldKey(key.endsWith("/") ? key.replace(/\/+$/, "") : key, domain.isCaseSensitive);
  // Only the bare domain reaches the root link.
  return folded === rootKey || (domain.isCaseSensitive && foldKey(key, false) === rootKey) ? undefined : folded;
}

/**
 * The folded key without trailing punctuation: programs that turn URLs in texts into links often include the mark
 * after them. Undefined when there is none, or when the rest is no possible key.
 */
export function withoutTrailingPunctuation(foldedKey: string): string | undefined {
  const key = foldedKey.replace(trailingPunctuation, "");
  return key === foldedKey || key === "" || key === rootKey || key.endsWith("/") ? undefined : key;
}

const trailingPunctuation = /(?<![.,)])[.,)]+$/;

/** A folded key, and the rest of the path after it, with its slash. */
export type ForwardingKey = { key: string; rest: string };

/**
 * The keys of links that may forward the rest of a path: its beginnings, the longest first, the root's last. Empty for
 * a path with dot segments.
 */
export function forwardingKeys(path: string, domain: VisitedDomain): ForwardingKey[] {
  if (hasDotSegments(path)) return [];
  const segments = path.split("/", forwardingSegmentsMax + 1);
  const keys: ForwardingKey[] = [{ key: rootKey, rest: `/${path}` }];
  let beginning = "";
  for (const segment of segments.slice(0, -1)) {
    beginning = beginning === "" ? segment : `${beginning}/${segment}`;
    const key = beginning === "" ? undefined : foldedKeyOf(beginning, domain);
    if (key !== undefined) keys.unshift({ key, rest: path.slice(beginning.length) });
  }
  return keys;
}

/** True for a path with dot segments, which would lead out of the destination. */
export function hasDotSegments(path: string): boolean {
  return /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path);
}
