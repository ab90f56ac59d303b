import { LruCache } from "./lru-cache.ts";
import type { Clock } from "./time.ts";

/** An LRU cache of values that other processes may change, so that none is used for longer than its life. */
export class TimedCache<K, V> {
  readonly #entries: LruCache<K, { value: V; readAt: number }>;
  readonly #lifeMs: number;
  readonly #now: Clock;

  /** Holds at least the last entriesMax distinct keys, and at most twice as many, each for `lifeMs`. */
  constructor({ entriesMax, lifeMs, now }: { entriesMax: number; lifeMs: number; now: Clock }) {
    this.#entries = new LruCache(entriesMax);
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  /** The value of the key; undefined when it is not cached, or too old. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const ageMs = this.#now() - entry.readAt;
    // Negative after the clock was set back.
    return ageMs >= 0 && ageMs < this.#lifeMs ? entry.value : undefined;
  }

  /** Reads the value of the key unless it is cached. Its life begins before it is read. */
  async find(key: K, read: () => Promise<V>): Promise<V> {
    return this.get(key) ?? (await this.read(key, read));
  }

  /** Reads the value of the key, and keeps it. */
  async read(key: K, read: () => Promise<V>): Promise<V> {
    const readAt = this.#now();
    const value = await read();
    this.#entries.set(key, { value, readAt });
    return value;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
