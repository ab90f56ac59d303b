import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import { type CountedAttempt, type SharedAttempts, unshared } from "../base/shared-attempts.ts";
import { type Clock, dayMs, hourMs, minuteMs } from "../base/time.ts";
import { type Allowance, type TokenBucket, TokenBuckets } from "../base/token-bucket.ts";

/** TABLE of the attempts allowed per address and account; further ones must wait. Kept in memory, like all limits. */
const allowances = {
  /** Wrong passwords at sign-in; a right one costs nothing. */
  signIn: {
    address: { callsMax: 20, perMs: 10 * minuteMs },
    account: { callsMax: 10, perMs: 10 * minuteMs },
    browser: { callsMax: 10, perMs: 10 * minuteMs },
  },
  /**
   * Wrong passwords of signed-in people who confirm their own. Separate from signIn, whose attempts others can use up
   * for an account.
   */
  ownPassword: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 10, perMs: 10 * minuteMs } },
  /**
   * Wrong one-time codes. Three of a million codes are valid at any time: without a limit, an attacker who knows the
   * password finds one.
   */
  secondFactor: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 10, perMs: hourMs } },
  /** New users by invites: each call hashes a password for an e-mail address that the caller chooses. */
  join: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 10, perMs: 10 * minuteMs } },
  /** Wrong passwords of a share. */
  share: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 30, perMs: 10 * minuteMs } },
  /** Each mails a link to set a new password. */
  passwordReset: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 3, perMs: hourMs } },
  /** Each mails the link of an invite. */
  inviteLink: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 3, perMs: hourMs } },
  /** Each mails a link that verifies the address of the signed-in person. */
  verification: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 3, perMs: hourMs } },
  /** Each mails a notification as a test to the signed-in person. */
  testNotification: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 10, perMs: hourMs } },
  /** Each mails a link to sign up. Separate from passwordReset, so that neither keeps a person from the other. */
  signUp: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 3, perMs: hourMs } },
  /** Each makes requests to the identity provider. Both count by network. */
  provider: { address: { callsMax: 60, perMs: 10 * minuteMs }, account: { callsMax: 60, perMs: 10 * minuteMs } },
  /** Changes of the e-mail address by a user, refused ones too: a refusal reveals that the address has an account. */
  emailChange: { address: { callsMax: 20, perMs: hourMs }, account: { callsMax: 5, perMs: hourMs } },
  /** Mails about changes of one account. */
  accountMail: { address: { callsMax: 20, perMs: hourMs }, account: { callsMax: 20, perMs: hourMs } },
  /** Invites mailed to one address by all workspaces: the person has requested none of them. */
  invitedAddress: { address: { callsMax: 5, perMs: dayMs }, account: { callsMax: 5, perMs: dayMs } },
  /** Invites mailed by one user from all workspaces, which a user can create by the hundred. */
  inviter: { address: { callsMax: 200, perMs: dayMs }, account: { callsMax: 200, perMs: dayMs } },
  /** Wrong responses of passkeys at sign-in, counted by network, since the account is not known before. */
  passkey: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 20, perMs: 10 * minuteMs } },
  /** Challenges for passkeys, counted by network: each open page of the sign-in asks for one every few minutes. */
  passkeyChallenge: {
    address: { callsMax: 300, perMs: 10 * minuteMs },
    account: { callsMax: 300, perMs: 10 * minuteMs },
  },
  /** Each sends a mail with a link that signs in. */
  magicLink: { address: { callsMax: 20, perMs: hourMs }, account: { callsMax: 5, perMs: hourMs } },
} as const satisfies Record<string, Allowances>;

/** The attempts of an address, of an account, and of a browser that has signed in to the account before. */
type Allowances = { address: Allowance; account: Allowance; browser?: Allowance };

/** The limits that count in all processes of the service together, because an attacker would use each of them. */
const sharedLimits: ReadonlySet<keyof typeof allowances> = new Set([
  ...(["signIn", "ownPassword", "secondFactor", "share", "passkey", "passwordReset", "magicLink"] as const),
]);

/** The most remembered addresses, and the most remembered accounts. */
const callersMax = 20_000;

/**
 * An attempt. `account` is what it counts for: an account, whether it exists or not, or another text such as a network.
 * `address` is undefined for a signed-in person who confirms the password, and where `account` is a network.
 */
export type Attempt = {
  address: string | undefined;
  account: string;
  /** A browser that has signed in to the account before: its attempts count separately. */
  browser?: string | undefined;
};

/** The limits of one kind of attempt. */
export type AttemptLimits = {
  /**
   * Counts an attempt, and returns a function that gives it back in this process; call it once. Throws
   * "rate_limit_exceeded".
   */
  take(attempt: Attempt): () => void;
  /**
   * Runs the check of a password and returns its result. Only a wrong password counts; a right one and a failed check
   * cost nothing. Running checks count until they end, so that simultaneous guesses are no more than successive ones.
   * Throws "rate_limit_exceeded" after too many wrong passwords, "unavailable" while too many checks are running, and
   * what the check throws.
   */
  check(attempt: Attempt, isRight: () => Promise<boolean>): Promise<boolean>;
};

/** The limits of every row of the table. */
export type Attempts = Record<keyof typeof allowances, AttemptLimits>;

/** Opens the limits; `shared` tells other processes about attempts. */
export function openAttempts(now: Clock, shared: SharedAttempts = unshared): Attempts {
  const open = (name: keyof typeof allowances) => openLimits(name, { now, shared });
  return {
    signIn: open("signIn"),
    ownPassword: open("ownPassword"),
    secondFactor: open("secondFactor"),
    join: open("join"),
    share: open("share"),
    passwordReset: open("passwordReset"),
    inviteLink: open("inviteLink"),
    verification: open("verification"),
    testNotification: open("testNotification"),
    signUp: open("signUp"),
    provider: open("provider"),
    magicLink: open("magicLink"),
    passkey: open("passkey"),
    passkeyChallenge: open("passkeyChallenge"),
    emailChange: open("emailChange"),
    accountMail: open("accountMail"),
    invitedAddress: open("invitedAddress"),
    inviter: open("inviter"),
  };
}

function openLimits(
  name: keyof typeof allowances,
  { now, shared: given }: { now: Clock; shared: SharedAttempts },
): AttemptLimits {
  const allowed: Allowances = allowances[name];
  const shared = sharedLimits.has(name) ? given : unshared;
  const buckets = {
    address: new TokenBuckets(allowed.address, callersMax),
    account: new TokenBuckets(allowed.account, callersMax),
    browser: new TokenBuckets(allowed.browser ?? allowed.account, callersMax),
  };
  /** The number of attempts of each bucket whose outcome is still unknown. At most one entry for each running check. */
  const running = new Map<TokenBucket, number>();

  shared.onAnnounced(name, (keys) => {
    for (const [kind, key] of knownEntries(keys)) buckets[kind].of(key, now()).take(now());
  });

  /** The hashes of what an attempt counts for, by the kind of bucket. */
  function keysOf({ address, account, browser }: Attempt): CountedAttempt["keys"] {
    if (browser !== undefined) return { browser: shared.hash(`${account} ${browser}`) };
    const ofAccount = { account: shared.hash(account) };
    return address === undefined ? ofAccount : { address: shared.hash(networkOf(address)), ...ofAccount };
  }

  function takeAll(attempt: Attempt): { taken: TokenBucket[]; keys: CountedAttempt["keys"]; announce(): void } {
    const at = now();
    const keys = keysOf(attempt);
    const taken: TokenBucket[] = [];
    for (const [kind, key] of knownEntries(keys)) {
      const bucket = buckets[kind].of(key, at);
      if (!bucket.take(at)) {
        for (const other of taken) other.refund();
        throw running.has(bucket) ? tooManyAtOnce() : tooMany(bucket.secondsToNext(at));
      }
      taken.push(bucket);
    }
    return { taken, keys, announce: () => shared.announce({ limits: name, keys }) };
  }

  function markUnderWay(bucket: TokenBucket, change: 1 | -1): void {
    const count = (running.get(bucket) ?? 0) + change;
    if (count === 0) running.delete(bucket);
    else running.set(bucket, count);
  }

  return {
    take(attempt) {
      const { taken, announce } = takeAll(attempt);
      announce();
      return () => {
        for (const bucket of taken) bucket.refund();
      };
    },
    async check(attempt, isRight) {
      const { taken, keys, announce } = takeAll(attempt);
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
        if (isWrong) announce();
        // Otherwise checks that were refused, for many invented accounts, would evict one whose attempts are used up.
        else for (const [kind, key] of knownEntries(keys)) buckets[kind].forgetIfFull(key, now());
      }
    },
  };
}

/** The keys for which there are buckets. Other processes may have another version. */
function knownEntries(keys: CountedAttempt["keys"]): [keyof Allowances, string][] {
  const kinds = ["address", "account", "browser"] as const;
  return kinds.flatMap((kind) => {
    const key = keys[kind];
    return key === undefined ? [] : [[kind, key]];
  });
}

function tooMany(retryAfterSeconds: number): Problem {
  return new Problem("rate_limit_exceeded", "Too many attempts; try again later.", {
    retryAfterSeconds,
  });
}

function tooManyAtOnce(): Problem {
  return new Problem("unavailable", "Too many passwords are being checked at the moment; try again in a few seconds.", {
    retryAfterSeconds: 1,
  });
}
