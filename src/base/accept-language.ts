import { acceptedValues } from "./accept.ts";
import { LruCache } from "./lru-cache.ts";

/** How many characters of a header are parsed; browsers send a few dozen. */
export const acceptLanguageCharactersMax = 256;
const languagesMax = 16;
/** Minimum size of the cache of headers, which holds at most twice as many; few different headers exist. */
const recentHeadersMax = 1_000;
const recent = new LruCache<string, readonly string[]>(recentHeadersMax);

/**
 * Returns the languages of an Accept-Language header by descending weight, in the written order for equal weights.
 * Shape: unique lower-case tags such as "de" and "pt-br"; "*", weight 0 and invalid tags are left out.
 * Guarantee: never throws; at most languagesMax tags, from the first acceptLanguageCharactersMax characters.
 */
export function languagesOf(header: string): readonly string[] {
  const text = header.slice(0, acceptLanguageCharactersMax);
  const known = recent.get(text);
  if (known !== undefined) return known;
  const languages = parse(text);
  recent.set(text, languages);
  return languages;
}

function parse(text: string): readonly string[] {
  const tags = acceptedValues(text).filter(({ value, weight }) => weight > 0 && tagPattern.test(value));
  return [...new Set(tags.map(({ value }) => value))].slice(0, languagesMax);
}

const tagPattern = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/;
