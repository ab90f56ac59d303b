import { type Actor, noWorkspace } from "../../access/actor.ts";
import { sha256 } from "../../base/ids.ts";
import { LruCache } from "../../base/lru-cache.ts";
import { networkOf } from "../../base/network.ts";
import { Problem } from "../../base/problem.ts";
import { type Clock, minuteMs } from "../../base/time.ts";
import { type TokenBucket, TokenBuckets } from "../../base/token-bucket.ts";

/**
 * Limits of calls, as token buckets: a bucket holds one minute's calls, each call takes one, and they come back evenly.
 * So a quiet caller may send a minute's calls at once and then goes on at the steady rate.
 *
 * - Each user has a bucket for all API keys and another for all sessions: more keys give no more calls, and a script
 *   does not block its owner's dashboard. A key that was good before is measured before it is looked up.
 * - Each workspace has a larger bucket, which every call that acts in it takes from as well.
 * - Each address has a small one for keys that open nothing, so that trying keys costs us no look-ups without end.
 *   It never stops a key that was good before: others at the same address are not ours to punish.
 * - Each address has another one for operations that need no key.
 * - In memory: a restart fills all buckets, and several processes each have their own.
 */

/** Users, workspaces, keys and addresses that are remembered; one that is forgotten has a full bucket again. */
const bucketsMax = 20_000;
/** An address may try a tenth of a user's calls with keys that open nothing. */
const invalidKeyShare = 10;
/** Calls of a workspace, in multiples of a user's, where no option says another number. */
const usersPerWorkspace = 5;

/** Calls a minute of each user and of each workspace; 0 turns all limits off, or those of workspaces. */
export type LimitsPerMinute = { user: number; workspace?: number | undefined };

/** Whose buckets a call takes from. */
export type LimitedCaller = Pick<Actor, "userId" | "sessionId" | "workspaceId">;

/** Header fields that say what is left. */
export type LimitHeaders = Record<string, string>;

/** Whose limit turned a call away, for the metrics. */
export type RefusedBy = "key" | "session" | "workspace" | "address";

/** The limits of one API. */
export class RateLimits {
  readonly #perMinute: number;
  readonly #perWorkspace: number;
  readonly #now: Clock;
  readonly #onRefusal: (by: RefusedBy) => void;
  /** Of keys and tokens that were good, by their hash. */
  readonly #valid = new LruCache<string, UserLimit>(bucketsMax);
  readonly #users: TokenBuckets;
  readonly #workspaces: TokenBuckets;
  readonly #addresses: TokenBuckets;
  readonly #anonymous: TokenBuckets;
  /** First look-ups under way: as many as requests at most. */
  readonly #firstLookUps = new Map<string, Promise<void>>();

  /** `onRefusal` is told of each call turned away. */
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
   * Knows a session's access token to be good from now on, so that its first call is no try: wrong keys from the same
   * address do not stop it.
   */
  trust(token: string, userId: string): void {
    if (this.#perMinute > 0) this.#valid.set(sha256(token), { userId, isSession: true });
  }

  /** Counts a call that needs no key. Throws "rate_limit_exceeded". */
  takeAnonymous(address: string): void {
    if (this.#perMinute > 0) this.#take(this.#anonymous.of(networkOf(address), this.#now()), "noKey");
  }

  /**
   * Runs the look-up of a key within the limits: undefined means that it opens nothing. `headers` is filled as soon
   * as the key is known to be good, so that refusals have them too. Throws "rate_limit_exceeded".
   */
  async admit<Found extends LimitedCaller>(
    { key, address, headers }: { key: string; address: string; headers: LimitHeaders },
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    if (this.#perMinute === 0) return await lookUp();
    const name = sha256(key);
    // Of calls that begin at once with a new key, the first finds out for the others whether it is a try that counts.
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
      // What it throws leaves the try taken: nobody can say then that the key was good.
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

  /** The headers tell of the workspace where it has fewer calls left than the user. */
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

/** Whose bucket of a user a call takes from; the bucket is looked up each time, so that all keys of a user share one. */
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
    key: `All your API keys together may make ${perMinute} calls a minute.`,
    session: `All your sessions together may make ${perMinute} calls a minute.`,
    workspace: `All members and API keys of this workspace together may make ${perWorkspace} calls a minute.`,
    invalidKey: `Too many API keys that open nothing came from your address; ${invalidKeysPerMinute(perMinute)} a minute may.`,
    noKey: `An address may make ${perMinute} calls a minute without a key.`,
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
