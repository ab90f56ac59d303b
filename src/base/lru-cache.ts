/**
 * An LRU cache in two generations: when the young generation is full, it becomes the old one, and the former old one is
 * dropped. Evicting single entries with `map.keys().next()` is slow in Bun, because every new iterator walks over
 * deleted Map entries again. An entry that is found in the old generation moves to the young one.
 */
export class LruCache<K, V> {
  readonly #entriesMax: number;
  readonly #keepsKeys: boolean;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** The last entry. Runs of one key are common (a host, a proxy's address), and comparing is faster than hashing. */
  #lastKey: K | undefined;
  #lastValue: V | undefined;

  /**
   * Holds at least the last entriesMax distinct keys, and at most twice as many. Copies text keys (see ownKey), except
   * with `keepsKeys`: then the caller's own text objects are kept, and found by identity first.
   */
  constructor(entriesMax: number, { keepsKeys = false } = {}) {
    if (!Number.isSafeInteger(entriesMax) || entriesMax < 1) {
      throw new RangeError(`entriesMax must be a whole number above 0, not ${entriesMax}`);
    }
    this.#entriesMax = entriesMax;
    this.#keepsKeys = keepsKeys;
  }

  /** The number of entries in both generations; a key in both counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The value of the key; undefined when it is not cached. */
  get(key: K): V | undefined {
    if (key === this.#lastKey) return this.#lastValue;
    const young = this.#young.get(key);
    if (young !== undefined) return this.#found(key, young);
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Sets the value of the key. An undefined value counts as absent. */
  set(key: K, value: V): void {
    if (this.#young.size >= this.#entriesMax && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(this.#keepsKeys ? key : ownKey(key), value);
    this.#found(key, value);
  }

  /** Removes the key. */
  delete(key: K): void {
    this.#forgetLast();
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Empties the cache. */
  clear(): void {
    this.#forgetLast();
    this.#young = new Map();
    this.#old = new Map();
  }

  #found(key: K, value: V): V {
    this.#lastKey = key;
    this.#lastValue = value;
    return value;
  }

  #forgetLast(): void {
    this.#lastKey = undefined;
    this.#lastValue = undefined;
  }
}

/**
 * Copies a text. In JavaScriptCore, a substring keeps the whole text alive: a host name would hold its receive buffer.
 */
export function ownKey<K>(key: K): K {
  if (typeof key !== "string") return key;
  const own = Buffer.from(key).toString();
  // A text with a lone surrogate changes in the copy. An equal text is a K.
  return own === key ? (own as K & string) : key;
}
