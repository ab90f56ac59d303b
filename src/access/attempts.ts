import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import { type Clock, hourMs, minuteMs } from "../base/time.ts";
import { type Allowance, type TokenBucket, TokenBuckets } from "../base/token-bucket.ts";

/** TABLE of what an address and an account may try; the rest is told to come back. In memory, as all limits. */
const allowances = {
  /** Of passwords that do not fit; one that does costs nothing. */
  signIn: {
    address: { callsMax: 20, perMs: 10 * minuteMs },
    account: { callsMax: 10, perMs: 10 * minuteMs },
    browser: { callsMax: 10, perMs: 10 * minuteMs },
  },
  /** Of who is signed in and says the password once more. Apart from the above, by which others can use up an account's. */
  ownPassword: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 10, perMs: 10 * minuteMs } },
  /** Of joining by an invite as a new user, which hashes a password for an e-mail address that the caller has chosen. */
  join: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 10, perMs: 10 * minuteMs } },
  /** Of wrong passwords of a share. */
  share: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 30, perMs: 10 * minuteMs } },
  /** Each is a mail to somebody. */
  passwordReset: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 3, perMs: hourMs } },
} as const satisfies Record<string, Allowances>;

/** What an address, an account and a browser that has signed in to the account before may try. */
type Allowances = { address: Allowance; account: Allowance; browser?: Allowance };

/** Addresses and accounts that are remembered, of each. */
const callersMax = 20_000;

/**
 * Who tries: for which account, be it there or not, and from which address; undefined for who has signed in and says the
 * password once more.
 */
export type Attempt = {
  address: string | undefined;
  account: string;
  /** Of a browser that has signed in to the account before: its attempts count apart from all others'. */
  browser?: string | undefined;
};

/** What an address and an account may try of one thing. */
export type AttemptLimits = {
  /** Counts an attempt. Throws "rate_limit_exceeded". */
  take(attempt: Attempt): void;
  /**
   * Runs the check of a password and returns its result. Only a wrong password counts: a right one, and a check that
   * could not be made, cost nothing. Checks under way count until they are done, so that guesses sent at once are no
   * more than those sent one after another.
   * Throws "rate_limit_exceeded" after too many wrong passwords, "unavailable" while too many checks are under way, and
   * what the check throws.
   */
  check(attempt: Attempt, isRight: () => Promise<boolean>): Promise<boolean>;
};

/** The limits of every line of the table. */
export type Attempts = Record<keyof typeof allowances, AttemptLimits>;

/** Opens the limits. */
export function openAttempts(now: Clock): Attempts {
  return {
    signIn: openLimits(allowances.signIn, now),
    ownPassword: openLimits(allowances.ownPassword, now),
    join: openLimits(allowances.join, now),
    share: openLimits(allowances.share, now),
    passwordReset: openLimits(allowances.passwordReset, now),
  };
}

function openLimits(allowed: Allowances, now: Clock): AttemptLimits {
  const addresses = new TokenBuckets(allowed.address, callersMax);
  const accounts = new TokenBuckets(allowed.account, callersMax);
  const browsers = new TokenBuckets(allowed.browser ?? allowed.account, callersMax);
  /** Attempts taken out of a bucket whose outcome is not known yet; as many entries as checks under way at most. */
  const underWay = new Map<TokenBucket, number>();

  function bucketsOf({ address, account, browser }: Attempt, at: number): TokenBucket[] {
    if (browser !== undefined) return [browsers.of(sha256(`${account} ${browser}`), at)];
    const ofAccount = accounts.of(sha256(account), at);
    return address === undefined ? [ofAccount] : [addresses.of(networkOf(address), at), ofAccount];
  }

  function takeAll(attempt: Attempt): TokenBucket[] {
    const at = now();
    const taken: TokenBucket[] = [];
    for (const bucket of bucketsOf(attempt, at)) {
      if (!bucket.take(at)) {
        for (const other of taken) other.refund();
        throw underWay.has(bucket) ? tooManyAtOnce() : tooMany(bucket.secondsToNext(at));
      }
      taken.push(bucket);
    }
    return taken;
  }

  function markUnderWay(bucket: TokenBucket, change: 1 | -1): void {
    const count = (underWay.get(bucket) ?? 0) + change;
    if (count === 0) underWay.delete(bucket);
    else underWay.set(bucket, count);
  }

  return {
    take(attempt) {
      takeAll(attempt);
    },
    async check(attempt, isRight) {
      const taken = takeAll(attempt);
      for (const bucket of taken) markUnderWay(bucket, 1);
      let isWrong = false;
      try {
        const fits = await isRight();
        isWrong = !fits;
        return fits;
      } finally {
        for (const bucket of taken) {
          markUnderWay(bucket, -1);
          if (!isWrong) bucket.refund();
        }
      }
    },
  };
}

function tooMany(retryAfterSeconds: number): Problem {
  return new Problem("rate_limit_exceeded", "There were too many attempts; wait a while before the next one.", {
    retryAfterSeconds,
  });
}

function tooManyAtOnce(): Problem {
  return new Problem("unavailable", "Too many passwords are being checked at the moment; try again in a few seconds.", {
    retryAfterSeconds: 1,
  });
}
