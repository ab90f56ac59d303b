import { ownKey } from "./lru-cache.ts";

/**
 * A bounded cache as LruCache is, by two texts: the first is one of few, the second one of many. A text put together of
 * both would have to be made and hashed for each look-up, which takes twice as long.
 */
export class LruPairCache<Value> {
  readonly #entriesMax: number;
  #young = new Map<string, Map<string, Value>>();
  #old = new Map<string, Map<string, Value>>();
  #youngSize = 0;

  /** Holds at least the last entriesMax distinct pairs asked for or set, and at most twice as many. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** Whether one more pair makes none be forgotten, now or soon. */
  get hasRoom(): boolean {
    return this.#old.size === 0 && this.#youngSize < this.#entriesMax;
  }

  /** The value last set for the pair; undefined when it was never set or has been forgotten. */
  get(first: string, second: string): Value | undefined {
    const young = this.#young.get(first)?.get(second);
    if (young !== undefined) return young;
    const old = this.#old.get(first)?.get(second);
    if (old !== undefined) this.set(first, second, old);
    return old;
  }

  /** Remembers the value. A value of undefined cannot be told from an absent one, so it is never found again. */
  set(first: string, second: string, value: Value): void {
    let ofFirst = this.#young.get(first);
    if (this.#youngSize >= this.#entriesMax && !ofFirst?.has(second)) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
      ofFirst = undefined;
    }
    if (ofFirst === undefined) {
      ofFirst = new Map();
      this.#young.set(ownKey(first), ofFirst);
    }
    if (!ofFirst.has(second)) this.#youngSize++;
    ofFirst.set(ownKey(second), value);
  }

  /** Forgets the pair. */
  delete(first: string, second: string): void {
    if (deleteIn(this.#young, first, second)) this.#youngSize--;
    deleteIn(this.#old, first, second);
  }

  /** Forgets everything. */
  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngSize = 0;
  }
}

function deleteIn<Value>(pairs: Map<string, Map<string, Value>>, first: string, second: string): boolean {
  const ofFirst = pairs.get(first);
  const isDeleted = ofFirst?.delete(second) ?? false;
  if (ofFirst?.size === 0) pairs.delete(first);
  return isDeleted;
}
