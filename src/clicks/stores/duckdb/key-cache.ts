/** Several texts that have a number together, or numbers among them. */
export type Texts = readonly (string | number)[];

type Entry = { texts: Texts; key: number; next: Entry | undefined; depth: number };

/** Entries with the same telling text that are compared one after another; beyond them the older ones are forgotten. */
const sameLookupKeyMax = 32;

/**
 * A bounded memory of numbers by several texts at once, as base/lru-cache.ts is one by a single text. It is asked by the one
 * text that tells most of them apart, and compares the others: texts that stay the same objects have been hashed before,
 * where put together to one text they would be copied and hashed for each question.
 */
export class KeyCache {
  readonly #entriesMax: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #youngSize = 0;

  /** Holds at least the last entriesMax distinct texts asked for or set, and at most twice as many. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** The number last set for these texts; undefined when it was never set or has been forgotten. `telling` is one of them. */
  get(lookupKey: string, texts: Texts): number | undefined {
    const young = find(this.#young.get(lookupKey), texts);
    if (young !== undefined) return young.key;
    const old = find(this.#old.get(lookupKey), texts);
    if (old !== undefined) this.set(lookupKey, texts, old.key);
    return old?.key;
  }

  /** Remembers the number of texts that have none here. */
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
