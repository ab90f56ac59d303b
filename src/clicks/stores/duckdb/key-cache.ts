import { LruCache } from "../../../base/lru-cache.ts";

/** Texts, and possibly numbers, that share one key. */
export type Texts = readonly (string | number)[];

type Entry = { texts: Texts; key: number; next: Entry | undefined; depth: number };

/** The most entries with the same lookup key. They are compared one by one; older ones are evicted. */
const sameLookupKeyMax = 32;

/**
 * A cache from several texts to their surrogate key. The LRU cache uses the one text that differs most, the lookup key,
 * and the other texts are compared. JavaScript caches the hash of a text object, but a concatenation of the texts would
 * be copied and hashed for each lookup.
 */
export class KeyCache {
  readonly #entries: LruCache<string, Entry>;

  /** Holds at least the entries of the last lookupKeysMax lookup keys, and at most those of twice as many. */
  constructor(lookupKeysMax: number) {
    this.#entries = new LruCache(lookupKeysMax, { keepsKeys: true });
  }

  /** The key of these texts; undefined when it is not cached. `lookupKey` is one of the texts. */
  get(lookupKey: string, texts: Texts): number | undefined {
    for (let entry = this.#entries.get(lookupKey); entry !== undefined; entry = entry.next) {
      if (areSame(entry.texts, texts)) return entry.key;
    }
    return undefined;
  }

  /** Adds texts that are not cached. */
  set(lookupKey: string, texts: Texts, key: number): void {
    const same = this.#entries.get(lookupKey);
    const next = same !== undefined && same.depth < sameLookupKeyMax ? same : undefined;
    this.#entries.set(lookupKey, { texts, key, next, depth: (next?.depth ?? 0) + 1 });
  }
}

function areSame(one: Texts, other: Texts): boolean {
  for (let index = 0; index < one.length; index++) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}
