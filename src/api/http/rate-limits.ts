import { type Actor, noWorkspace } from "../../access/actor.ts";
import { sha256 } from "../../base/ids.ts";
import { LruCache } from "../../base/lru-cache.ts";
import { networkOf } from "../../base/network.ts";
import { Problem } from "../../base/problem.ts";
import { type Clock, minuteMs } from "../../base/time.ts";
import { type TokenBucket, TokenBuckets } from "../../base/token-bucket.ts";

/**
 * Limits the rate of calls with token buckets: a bucket holds the calls of one minute, each call takes one, and the
 * bucket refills evenly. So a quiet caller may send the calls of a minute at once and then continues at the steady
 * rate.
 *
 * - Each user has one bucket for all API keys and one for all sessions: more keys give no more calls, and a script does
 *   not block its owner's dashboard. A key that was valid before is limited before it is looked up.
 * - Each workspace has a larger bucket, from which every call that acts in it takes as well.
 * - Each address has a small bucket for invalid keys, which bounds the lookups that guessing costs. It never stops a
 *   key that was valid before: other users may share the address.
 * - Each address has another bucket for public operations.
 * - Buckets are in memory: a restart fills them, and each process has its own.
 */

/** Remembered users, workspaces, keys and addresses; an evicted one has a full bucket again. */
const bucketsMax = 20_000;
/** An address may send a tenth of a user's calls with invalid keys. */
const invalidKeyShare = 10;
/** Calls of a workspace as a multiple of a user's, unless an option sets a number. */
const usersPerWorkspace = 5;

/** Calls per minute of each user and each workspace; 0 turns off all limits, or those of workspaces. */
type LimitsPerMinute = { user: number; workspace?: number | undefined };

/** The caller whose buckets a call takes from. */
export type LimitedCaller = Pick<Actor, "userId" | "sessionId" | "workspaceId">;

/** The header fields with the remaining calls. */
export type LimitHeaders = Record<string, string>;

/** Which limit refused a call, for the metrics. */
export type RefusedBy = "key" | "session" | "workspace" | "address";

/** The limits of one API. */
export class RateLimits {
  readonly #perMinute: number;
  readonly #perWorkspace: number;
  readonly #now: Clock;
  readonly #onRefusal: (by: RefusedBy) => void;
  /** The limits of keys and tokens that were valid, by their hash. */
  readonly #valid = new LruCache<string, UserLimit>(bucketsMax);
  readonly #users: TokenBuckets;
  readonly #workspaces: TokenBuckets;
  readonly #addresses: TokenBuckets;
  readonly #anonymous: TokenBuckets;
  /** First lookups that are running; at most as many as requests. */
  readonly #firstLookUps = new Map<string, Promise<void>>();

  /** Calls `onRefusal` for each refused call. */
  constructor(
    { user, workspace = user * usersPerWorkspace }: LimitsPerMinute,
    now: Clock,
    onRefusal: (by: RefusedBy) => void,
  ) {
    const bucketsOf = (callsMax: number) => new TokenBuckets({ callsMax, perMs: minuteMs }, bucketsMax);
    this.#perMinute = user;
    this.#perWorkspace = workspace;
    this.#now = now;
    this.#onRefusal = onRefusal;
    this.#users = bucketsOf(user);
    this.#workspaces = bucketsOf(workspace);
    this.#addresses = bucketsOf(invalidKeysPerMinute(user));
    this.#anonymous = bucketsOf(user);
  }

  /**
   * Treats a session's new access token as valid, so that invalid keys from the same address do not stop its first
   * call.
   */
  trust(token: string, userId: string): void {
    if (this.#perMinute > 0) this.#valid.set(sha256(token), { userId, isSession: true });
  }

  /** Counts a call of a public operation. Throws "rate_limit_exceeded". */
  takeAnonymous(address: string): void {
    if (this.#perMinute > 0) this.#take(this.#anonymous.of(networkOf(address), this.#now()), "noKey");
  }

  /**
   * Runs the lookup of a key within the limits; undefined means that the key is invalid. Fills `headers` as soon as the
   * key is known to be valid, so that refusals have them too. Throws "rate_limit_exceeded".
   */
  async admit<Found extends LimitedCaller>(
    { key, address, headers }: { key: string; address: string; headers: LimitHeaders },
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    if (this.#perMinute === 0) return await lookUp();
    const name = sha256(key);
    // Of concurrent calls with a new key, the first finds out for the others whether the key is valid.
    const first = this.#firstLookUps.get(name);
    if (first !== undefined) await first;
    const limit = this.#valid.get(name);
    const found =
      limit === undefined
        ? await this.#admitUnverified({ name, address, headers }, lookUp)
        : await this.#admitValid({ name, limit, headers }, lookUp);
    if (found !== undefined) this.#takeOfWorkspace(found, headers);
    return found;
  }

  /** Counts further calls for an operation that costs more than one. Throws "rate_limit_exceeded". */
  spend({ userId, sessionId, workspaceId }: LimitedCaller, calls: number, headers: LimitHeaders): void {
    if (this.#perMinute === 0 || calls <= 0) return;
    this.#takeOfUser({ userId, isSession: sessionId !== undefined }, headers, calls);
    this.#takeOfWorkspace({ workspaceId }, headers, calls);
  }

  async #admitValid<Found>(
    { name, limit, headers }: { name: string; limit: UserLimit; headers: LimitHeaders },
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    this.#takeOfUser(limit, headers);
    const found = await lookUp();
    if (found === undefined) this.#valid.delete(name);
    return found;
  }

  async #admitUnverified<Found extends LimitedCaller>(
    { name, address, headers }: { name: string; address: string; headers: LimitHeaders },
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const attempts = this.#addresses.of(networkOf(address), this.#now());
    this.#take(attempts, "invalidKey");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#firstLookUps.set(name, promise);
    try {
      // If the lookup throws, the attempt stays counted, since the key may be invalid.
      const found = await lookUp();
      if (found === undefined) return undefined;
      attempts.refund();
      const limit = { userId: found.userId, isSession: found.sessionId !== undefined };
      this.#valid.set(name, limit);
      this.#takeOfUser(limit, headers);
      return found;
    } finally {
      if (this.#firstLookUps.get(name) === promise) this.#firstLookUps.delete(name);
      resolve();
    }
  }

  #takeOfUser({ userId, isSession }: UserLimit, headers: LimitHeaders, calls?: number): void {
    const why = isSession ? "session" : "key";
    const bucket = this.#users.of(`${why} ${userId}`, this.#now());
    try {
      this.#take(bucket, why, calls);
    } finally {
      Object.assign(headers, headersOf(bucket, this.#perMinute, this.#now()));
    }
  }

  /** The headers describe the workspace's bucket if it has fewer calls left than the user's. */
  #takeOfWorkspace({ workspaceId }: Pick<LimitedCaller, "workspaceId">, headers: LimitHeaders, calls?: number): void {
    if (this.#perWorkspace === 0 || workspaceId === noWorkspace) return;
    const bucket = this.#workspaces.of(String(workspaceId), this.#now());
    try {
      this.#take(bucket, "workspace", calls);
    } finally {
      const left = Number(headers["RateLimit-Remaining"]);
      const now = this.#now();
      if (bucket.remaining(now) < left) Object.assign(headers, headersOf(bucket, this.#perWorkspace, now));
    }
  }

  #take(bucket: TokenBucket, why: keyof typeof refusedBy, calls = 1): void {
    const now = this.#now();
    if (bucket.take(now, calls)) return;
    this.#onRefusal(refusedBy[why]);
    const messages = messagesFor({ perMinute: this.#perMinute, perWorkspace: this.#perWorkspace });
    throw new Problem("rate_limit_exceeded", messages[why], { retryAfterSeconds: bucket.secondsToNext(now, calls) });
  }
}

/** Which bucket of a user a call takes from; looked up for each call, so that all keys of a user share it. */
type UserLimit = { userId: string; isSession: boolean };

function invalidKeysPerMinute(perMinute: number): number {
  return Math.ceil(perMinute / invalidKeyShare);
}

const refusedBy = {
  key: "key",
  session: "session",
  workspace: "workspace",
  invalidKey: "address",
  noKey: "address",
} as const satisfies Record<string, RefusedBy>;

function messagesFor({ perMinute, perWorkspace }: { perMinute: number; perWorkspace: number }) {
  return {
    key: `All your API keys together can make ${perMinute} requests per minute.`,
    session: `All your sessions together can make ${perMinute} requests per minute.`,
    workspace: `All members and API keys of this workspace together can make ${perWorkspace} requests per minute.`,
    invalidKey: `Your IP address sent too many invalid API keys; the limit is ${invalidKeysPerMinute(perMinute)} per minute.`,
    noKey: `An IP address can make ${perMinute} requests per minute without an API key.`,
  };
}

function headersOf(bucket: TokenBucket, perMinute: number, now: number): LimitHeaders {
  const fields = { Limit: perMinute, Remaining: bucket.remaining(now), Reset: bucket.secondsToFull(now) };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => [
      [`RateLimit-${name}`, String(value)],
      [`X-RateLimit-${name}`, String(value)],
    ]),
  );
}
