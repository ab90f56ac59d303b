import { LruCache } from "./lru-cache.ts";
import { secondMs } from "./time.ts";

/** The size of a bucket, and how long an empty one takes to refill. */
export type Allowance = { readonly callsMax: number; readonly perMs: number };

/** The token bucket of one caller. */
export class TokenBucket {
  readonly #callsMax: number;
  readonly #perMs: number;
  #calls: number;
  #filledAt: number;

  constructor({ callsMax, perMs }: Allowance, now: number) {
    this.#callsMax = callsMax;
    this.#perMs = perMs;
    this.#calls = callsMax;
    this.#filledAt = now;
  }

  /** Takes tokens, at most as many as a full bucket holds; takes none and returns false when there are fewer. */
  take(now: number, calls = 1): boolean {
    this.#fill(now);
    const taken = Math.min(calls, this.#callsMax);
    if (this.#calls < taken) return false;
    this.#calls -= taken;
    return true;
  }

  refund(): void {
    this.#calls = Math.min(this.#callsMax, this.#calls + 1);
  }

  isFull(now: number): boolean {
    return this.remaining(now) === this.#callsMax;
  }

  remaining(now: number): number {
    this.#fill(now);
    return Math.floor(this.#calls);
  }

  secondsToFull(now: number): number {
    return this.#secondsTo(this.#callsMax, now);
  }

  /** Returns the seconds until `take` succeeds, at least 1. */
  secondsToNext(now: number, calls = 1): number {
    return Math.max(1, this.#secondsTo(Math.min(calls, this.#callsMax), now));
  }

  #secondsTo(calls: number, now: number): number {
    this.#fill(now);
    return Math.max(0, Math.ceil(((calls - this.#calls) * this.#perMs) / this.#callsMax / secondMs));
  }

  #fill(now: number): void {
    // A clock that was set back adds and removes nothing.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#calls = Math.min(this.#callsMax, this.#calls + (passedMs * this.#callsMax) / this.#perMs);
    this.#filledAt = now;
  }
}

/** Token buckets by caller. Beyond `callersMax`, an evicted caller gets a full bucket again. */
export class TokenBuckets {
  readonly #allowance: Allowance;
  readonly #buckets: LruCache<string, TokenBucket>;

  constructor(allowance: Allowance, callersMax: number) {
    this.#allowance = allowance;
    this.#buckets = new LruCache(callersMax);
  }

  /** Returns the caller's bucket, a full one for a new caller. */
  of(name: string, now: number): TokenBucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    const bucket = new TokenBucket(this.#allowance, now);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** Forgets the caller's bucket if it is full, as that of a new caller is; so it evicts no other one. */
  forgetIfFull(name: string, now: number): void {
    if (this.#buckets.get(name)?.isFull(now) === true) this.#buckets.delete(name);
  }
}
