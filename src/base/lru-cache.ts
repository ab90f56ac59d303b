/**
 * A bounded cache that keeps what was used recently.
 *
 * Two generations instead of a queue: when the young one is full it becomes the old one and the former old one is
 * dropped whole. Evicting one entry at a time by `map.keys().next()` is much dearer in Bun, whose deleted Map entries
 * are walked over again by every new iterator.
 * An entry found in the old generation moves to the young one, so what is asked for often stays.
 */
export class LruCache<K, V> {
  readonly #entriesMax: number;
  readonly #keepsKeys: boolean;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** Runs of the same key are common (a host, a proxy's address), and comparing is cheaper than hashing. */
  #lastKey: K | undefined;
  #lastValue: V | undefined;

  /**
   * Holds at least the last entriesMax distinct keys asked for or set, and at most twice as many. Texts as keys are
   * copied (see ownKey), but for `keepsKeys`: the caller's own texts, which are found without being compared.
   */
  constructor(entriesMax: number, { keepsKeys = false } = {}) {
    if (!Number.isSafeInteger(entriesMax) || entriesMax < 1) {
      throw new RangeError(`entriesMax must be a whole number above 0, not ${entriesMax}`);
    }
    this.#entriesMax = entriesMax;
    this.#keepsKeys = keepsKeys;
  }

  /** The number of entries held, of both generations; a key replaced while old counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The value last set for the key; undefined when it was never set or has been forgotten. */
  get(key: K): V | undefined {
    if (key === this.#lastKey) return this.#lastValue;
    const young = this.#young.get(key);
    if (young !== undefined) return this.#found(key, young);
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Remembers the value. A value of undefined cannot be told from an absent one, so it is never found again. */
  set(key: K, value: V): void {
    if (this.#young.size >= this.#entriesMax && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(this.#keepsKeys ? key : ownKey(key), value);
    this.#found(key, value);
  }

  /** Forgets the key. */
  delete(key: K): void {
    this.#forgetLast();
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Forgets everything. */
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
 * The key, or a text that is remembered as a value, in memory of its own. In JavaScriptCore a text cut from a longer one
 * keeps all of that: a host name would hold the whole packet it came in.
 */
export function ownKey<K>(key: K): K {
  if (typeof key !== "string") return key;
  const own = Buffer.from(key).toString();
  // A text of half characters comes back as another one. If it is the same text, then it is a K.
  return own === key ? (own as K & string) : key;
}
