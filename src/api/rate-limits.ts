import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import { Recent } from "../base/recent.ts";
import { type Clock, minuteMs, secondMs } from "../base/time.ts";

/**
 * Limits of calls, as token buckets: a bucket holds one minute's calls, each call takes one, and they come back evenly.
 * So a quiet caller may send a minute's calls at once and then goes on at the steady rate.
 *
 * - Each key has a bucket. Who comes back with a key that was good before is measured before the key is looked up.
 * - Each address has a small one for keys that open nothing, so that trying keys costs us no look-ups without end.
 *   It never stops a key that was good before: others at the same address are not ours to punish.
 * - Each address has one of its own for operations that need no key.
 * - In memory: a restart fills all buckets, and several processes each have their own.
 */

/** Keys, and addresses with wrong keys, that are remembered; one that is forgotten has a full bucket again. */
const bucketsMax = 20_000;
/** An address may try a tenth of a key's calls with keys that open nothing. */
const wrongKeyShare = 10;

/** Header fields that say what is left. */
export type LimitHeaders = Record<string, string>;

/** Tells whether a caller may go on. */
export type RateLimits = ReturnType<typeof openRateLimits>;

/** Opens the limits, none at all where `perMinute` is 0; `onRefusal` is told of each call turned away. */
export function openRateLimits(perMinute: number, now: Clock, onRefusal: (by: "key" | "address") => void) {
  const keys = new Recent<string, Bucket>(bucketsMax);
  const addresses = new Recent<string, Bucket>(bucketsMax);
  const strangers = new Recent<string, Bucket>(bucketsMax);
  /** First look-ups under way: as many as requests at most. */
  const firstLookUps = new Map<string, Promise<void>>();
  const wrongKeysPerMinute = Math.ceil(perMinute / wrongKeyShare);

  const messages = {
    key: `This API key may make ${perMinute} calls a minute.`,
    wrongKey: `Too many API keys that open nothing came from your address; ${wrongKeysPerMinute} a minute may.`,
    noKey: `An address may make ${perMinute} calls a minute without a key.`,
  };

  function take(bucket: Bucket, why: keyof typeof messages): void {
    if (bucket.take(now())) return;
    onRefusal(why === "key" ? "key" : "address");
    const message = messages[why];
    throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds: bucket.secondsToNext(now()) });
  }

  return {
    /** Counts a call that needs no key. Throws "rate_limit_exceeded". */
    admitStranger(address: string): void {
      if (perMinute > 0) take(bucketOf(strangers, networkOf(address), perMinute, now()), "noKey");
    },

    /**
     * Runs the look-up of a key within the limits: undefined means that it opens nothing. `headers` is filled as soon
     * as the key is known to be good, so that refusals have them too.
     * Throws "rate_limit_exceeded".
     */
    async admit<Found>(
      { key, address, headers }: { key: string; address: string; headers: LimitHeaders },
      lookUp: () => Promise<Found | undefined>,
    ): Promise<Found | undefined> {
      if (perMinute === 0) return await lookUp();
      const name = sha256(key);
      // Of calls that begin at once with a new key, the first finds out for the others whether it is a try that counts.
      const first = firstLookUps.get(name);
      if (first !== undefined) await first;
      const known = keys.get(name);
      if (known === undefined) return await admitFirst({ name, address, headers }, lookUp);
      takeKnown(known, headers);
      const found = await lookUp();
      if (found === undefined) keys.delete(name);
      return found;
    },
  };

  async function admitFirst<Found>(
    { name, address, headers }: { name: string; address: string; headers: LimitHeaders },
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const tries = bucketOf(addresses, networkOf(address), wrongKeysPerMinute, now());
    take(tries, "wrongKey");
    const { promise, resolve } = Promise.withResolvers<void>();
    firstLookUps.set(name, promise);
    try {
      // What it throws leaves the try taken: nobody can say then that the key was good.
      const found = await lookUp();
      if (found === undefined) return undefined;
      tries.giveBack();
      takeKnown(bucketOf(keys, name, perMinute, now()), headers);
      return found;
    } finally {
      if (firstLookUps.get(name) === promise) firstLookUps.delete(name);
      resolve();
    }
  }

  function takeKnown(bucket: Bucket, headers: LimitHeaders): void {
    try {
      take(bucket, "key");
    } finally {
      Object.assign(headers, headersOf(bucket, perMinute, now()));
    }
  }
}

function bucketOf(buckets: Recent<string, Bucket>, name: string, perMinute: number, now: number): Bucket {
  const known = buckets.get(name);
  if (known !== undefined) return known;
  const bucket = new Bucket(perMinute, now);
  buckets.set(name, bucket);
  return bucket;
}

function headersOf(bucket: Bucket, perMinute: number, now: number): LimitHeaders {
  const facts = { Limit: perMinute, Remaining: bucket.remaining(now), Reset: bucket.secondsToFull(now) };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => [
      [`RateLimit-${name}`, String(value)],
      [`X-RateLimit-${name}`, String(value)],
    ]),
  );
}

class Bucket {
  readonly #perMinute: number;
  #calls: number;
  #at: number;

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute;
    this.#calls = perMinute;
    this.#at = now;
  }

  /** Takes one call out; false when there is none. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#calls < 1) return false;
    this.#calls--;
    return true;
  }

  giveBack(): void {
    this.#calls = Math.min(this.#perMinute, this.#calls + 1);
  }

  remaining(now: number): number {
    this.#fill(now);
    return Math.floor(this.#calls);
  }

  secondsToFull(now: number): number {
    return this.#secondsTo(this.#perMinute, now);
  }

  secondsToNext(now: number): number {
    return Math.max(1, this.#secondsTo(1, now));
  }

  #secondsTo(calls: number, now: number): number {
    this.#fill(now);
    return Math.max(0, Math.ceil(((calls - this.#calls) * minuteMs) / this.#perMinute / secondMs));
  }

  #fill(now: number): void {
    // A clock that was set back gives nothing and takes nothing.
    const passedMs = Math.max(0, now - this.#at);
    this.#calls = Math.min(this.#perMinute, this.#calls + (passedMs * this.#perMinute) / minuteMs);
    this.#at = now;
  }
}
