import { rootKey } from "../domains/domain.ts";
import { decodedPath, foldKey, keyCharactersMax } from "./key.ts";

/** Which keys the path of a visit may name. Paths are without their leading slash, still percent-encoded. */

/** What a domain changes about the keys of visits. */
type VisitedDomain = { isCaseSensitive: boolean };

/** Visitors may write a character as a letter and its marks, where the stored key has it in one. */
const decodedCharactersMax = keyCharactersMax * 3;
/** Each unit of it in three bytes of UTF-8, percent-encoded. */
const pathCharactersMax = decodedCharactersMax * 9;
/** Segments of a path that may be the key of a link which forwards the rest. */
const forwardingSegmentsMax = 10;

/** Most keys are written as they are folded, on domains of either kind. */
const plainKey = /^[a-z0-9-]{1,190}$/;

/** The folded key that the whole path names; undefined for what no link can have. */
export function foldedKeyOf(path: string, domain: VisitedDomain): string | undefined {
  if (path === "") return rootKey;
  if (plainKey.test(path)) return path;
  // What no link can have is not looked up, and so never remembered: a flood of long paths must not fill the memory.
  if (path.length > pathCharactersMax) return undefined;
  const key = path.includes("%") ? decodedPath(path) : path;
  if (key === undefined || key.length > decodedCharactersMax) return undefined;
  // PostgreSQL refuses even to compare a text with a NUL in it.
  if (key.includes("\0")) return undefined;
  // Keys are stored without outer slashes; people and programs add one behind an address.
  const folded = foldKey(key.endsWith("/") ? key.replace(/\/+$/, "") : key, domain.isCaseSensitive);
  // The root link is reached by the bare domain alone.
  return folded === rootKey || (domain.isCaseSensitive && foldKey(key, false) === rootKey) ? undefined : folded;
}

/**
 * The folded key without the punctuation at its end: programs that make addresses in texts clickable often take the mark
 * behind an address for a part of it. undefined where it has none, or where nothing a link can have is left.
 */
export function withoutTrailingPunctuation(foldedKey: string): string | undefined {
  const key = foldedKey.replace(trailingPunctuation, "");
  return key === foldedKey || key === "" || key === rootKey || key.endsWith("/") ? undefined : key;
}

const trailingPunctuation = /(?<![.,)])[.,)]+$/;

/** A folded key, and what of the path stands behind it, with its slash. */
export type ForwardingKey = { key: string; rest: string };

/**
 * The keys of links that may forward the rest of a path: beginnings of it, the longest first, the root's last.
 * None for a path that leads out.
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

/** Whether a path has folders made of dots in it, which would lead out of the destination. */
export function hasDotSegments(path: string): boolean {
  return /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path);
}
