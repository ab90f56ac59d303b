import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import { Recent } from "../base/recent.ts";
import { type Clock, minuteMs } from "../base/time.ts";
import { type TokenBucket, TokenBuckets } from "../base/token-bucket.ts";

/**
 * Limits of calls, as token buckets: a bucket holds one minute's calls, each call takes one, and they come back evenly.
 * So a quiet caller may send a minute's calls at once and then goes on at the steady rate.
 *
 * - Each key has a bucket, and each session one for all of its tokens. Who comes back with a key that was good before
 *   is measured before the key is looked up.
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
  const { known, callers, addresses, strangers } = openBuckets(perMinute);
  /** First look-ups under way: as many as requests at most. */
  const firstLookUps = new Map<string, Promise<void>>();
  const messages = messagesFor(perMinute);

  function take(bucket: TokenBucket, why: keyof ReturnType<typeof messagesFor>): void {
    if (bucket.take(now())) return;
    onRefusal(why === "key" ? "key" : "address");
    throw new Problem("rate_limit_exceeded", messages[why], { retryAfterSeconds: bucket.secondsToNext(now()) });
  }

  return {
    /**
     * Knows a key to be good from now on, so that its first call is no try: an access token that was made just now, which
     * shares the limit of its session. Wrong keys from the same address do not stop it.
     */
    expect(key: string, sharedBy: string): void {
      if (perMinute > 0) known.set(sha256(key), callers.of(sharedBy, now()));
    },

    /** Counts a call that needs no key. Throws "rate_limit_exceeded". */
    admitStranger(address: string): void {
      if (perMinute > 0) take(strangers.of(networkOf(address), now()), "noKey");
    },

    /**
     * Runs the look-up of a key within the limits: undefined means that it opens nothing. `headers` is filled as soon
     * as the key is known to be good, so that refusals have them too.
     * What `sharedBy` gives one name shares a limit, as the tokens of a session do; what it gives none has its own.
     * Throws "rate_limit_exceeded".
     */
    async admit<Found>(
      { key, address, headers }: { key: string; address: string; headers: LimitHeaders },
      lookUp: () => Promise<Found | undefined>,
      sharedBy: (found: Found) => string | undefined = () => undefined,
    ): Promise<Found | undefined> {
      if (perMinute === 0) return await lookUp();
      const name = sha256(key);
      // Of calls that begin at once with a new key, the first finds out for the others whether it is a try that counts.
      const first = firstLookUps.get(name);
      if (first !== undefined) await first;
      const bucket = known.get(name);
      if (bucket === undefined) return await admitFirst({ name, address, headers }, lookUp, sharedBy);
      takeKnown(bucket, headers);
      const found = await lookUp();
      if (found === undefined) known.delete(name);
      return found;
    },
  };

  async function admitFirst<Found>(
    { name, address, headers }: { name: string; address: string; headers: LimitHeaders },
    lookUp: () => Promise<Found | undefined>,
    sharedBy: (found: Found) => string | undefined,
  ): Promise<Found | undefined> {
    const tries = addresses.of(networkOf(address), now());
    take(tries, "wrongKey");
    const { promise, resolve } = Promise.withResolvers<void>();
    firstLookUps.set(name, promise);
    try {
      // What it throws leaves the try taken: nobody can say then that the key was good.
      const found = await lookUp();
      if (found === undefined) return undefined;
      tries.giveBack();
      const bucket = callers.of(sharedBy(found) ?? name, now());
      known.set(name, bucket);
      takeKnown(bucket, headers);
      return found;
    } finally {
      if (firstLookUps.get(name) === promise) firstLookUps.delete(name);
      resolve();
    }
  }

  function takeKnown(bucket: TokenBucket, headers: LimitHeaders): void {
    try {
      take(bucket, "key");
    } finally {
      Object.assign(headers, headersOf(bucket, perMinute, now()));
    }
  }
}

function wrongKeysPerMinute(perMinute: number): number {
  return Math.ceil(perMinute / wrongKeyShare);
}

function openBuckets(perMinute: number) {
  const calls = { callsMax: perMinute, perMs: minuteMs };
  return {
    /** Of keys and tokens that were good, by their hash. */
    known: new Recent<string, TokenBucket>(bucketsMax),
    callers: new TokenBuckets(calls, bucketsMax),
    addresses: new TokenBuckets({ ...calls, callsMax: wrongKeysPerMinute(perMinute) }, bucketsMax),
    strangers: new TokenBuckets(calls, bucketsMax),
  };
}

function messagesFor(perMinute: number) {
  return {
    key: `This API key or session may make ${perMinute} calls a minute.`,
    wrongKey: `Too many API keys that open nothing came from your address; ${wrongKeysPerMinute(perMinute)} a minute may.`,
    noKey: `An address may make ${perMinute} calls a minute without a key.`,
  };
}

function headersOf(bucket: TokenBucket, perMinute: number, now: number): LimitHeaders {
  const facts = { Limit: perMinute, Remaining: bucket.remaining(now), Reset: bucket.secondsToFull(now) };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => [
      [`RateLimit-${name}`, String(value)],
      [`X-RateLimit-${name}`, String(value)],
    ]),
  );
}
