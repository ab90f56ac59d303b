/** Texts, and possibly numbers, that share one key. */
export type Texts = readonly (string | number)[];

type Entry = { texts: Texts; key: number; next: Entry | undefined; depth: number };

/** The most entries with the same lookup key. They are compared one by one; older ones are evicted. */
const sameLookupKeyMax = 32;

/**
 * An LRU cache from several texts to their surrogate key. The map uses the one text that differs most, the lookup key,
 * and the other texts are compared. JavaScript caches the hash of a text object, but a concatenation of the texts would
 * be copied and hashed for each lookup.
 */
export class KeyCache {
  readonly #entriesMax: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #youngSize = 0;

  /** Holds at least the last entriesMax distinct entries, and at most twice as many. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** The key of these texts; undefined when it is not cached. `lookupKey` is one of the texts. */
  get(lookupKey: string, texts: Texts): number | undefined {
    const young = find(this.#young.get(lookupKey), texts);
    if (young !== undefined) return young.key;
    const old = find(this.#old.get(lookupKey), texts);
    if (old !== undefined) this.set(lookupKey, texts, old.key);
    return old?.key;
  }

  /** Adds texts that are not cached. */
  set(lookupKey: string, texts: Texts, key: number): void {
    if (this.#youngSize >= this.#entriesMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    const same = this.#young.get(lookupKey);
    const next = same !== undefined && same.depth < sameLookupKeyMax ? same : undefined;
    this.#young.set(lookupKey, { texts, key, next, depth: (next?.depth ?? 0) + 1 });
    this.#youngSize++;
  }
}

function find(first: Entry | undefined, texts: Texts): Entry | undefined {
  for (let entry = first; entry !== undefined; entry = entry.next) {
    if (areSame(entry.texts, texts)) return entry;
  }
  return undefined;
}

function areSame(one: Texts, other: Texts): boolean {
  for (let index = 0; index < one.length; index++) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}
