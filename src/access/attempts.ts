import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
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
  /** Each sends a mail. */
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

/** Remembered addresses at most, and remembered accounts. */
const callersMax = 20_000;

/**
 * An attempt: the account, whether it exists or not, or what else counts, and the address; undefined for a signed-in
 * person who confirms the password, and where the account is a network.
 */
export type Attempt = {
  address: string | undefined;
  account: string;
  /** A browser that has signed in to the account before: its attempts count separately. */
  browser?: string | undefined;
};

/** The limits of one kind of attempt. */
export type AttemptLimits = {
  /** Counts an attempt, and returns a function that gives it back; call it once. Throws "rate_limit_exceeded". */
  take(attempt: Attempt): () => void;
  /**
   * Runs the check of a password and returns its result. Only a wrong password counts; a right one and a failed check
   * cost nothing. Running checks count until they end, so that simultaneous guesses are no more than successive ones.
   * Throws "rate_limit_exceeded" after too many wrong passwords, "unavailable" while too many checks are running, and
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
    secondFactor: openLimits(allowances.secondFactor, now),
    join: openLimits(allowances.join, now),
    share: openLimits(allowances.share, now),
    passwordReset: openLimits(allowances.passwordReset, now),
    inviteLink: openLimits(allowances.inviteLink, now),
    verification: openLimits(allowances.verification, now),
    testNotification: openLimits(allowances.testNotification, now),
    signUp: openLimits(allowances.signUp, now),
    provider: openLimits(allowances.provider, now),
    magicLink: openLimits(allowances.magicLink, now),
    passkey: openLimits(allowances.passkey, now),
    passkeyChallenge: openLimits(allowances.passkeyChallenge, now),
    emailChange: openLimits(allowances.emailChange, now),
    accountMail: openLimits(allowances.accountMail, now),
    invitedAddress: openLimits(allowances.invitedAddress, now),
    inviter: openLimits(allowances.inviter, now),
  };
}

function openLimits(allowed: Allowances, now: Clock): AttemptLimits {
  const addresses = new TokenBuckets(allowed.address, callersMax);
  const accounts = new TokenBuckets(allowed.account, callersMax);
  const browsers = new TokenBuckets(allowed.browser ?? allowed.account, callersMax);
  /** Attempts taken from a bucket whose outcome is still unknown: at most as many entries as running checks. */
  const running = new Map<TokenBucket, number>();

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
        throw running.has(bucket) ? tooManyAtOnce() : tooMany(bucket.secondsToNext(at));
      }
      taken.push(bucket);
    }
    return taken;
  }

  function markUnderWay(bucket: TokenBucket, change: 1 | -1): void {
    const count = (running.get(bucket) ?? 0) + change;
    if (count === 0) running.delete(bucket);
    else running.set(bucket, count);
  }

  return {
    take(attempt) {
      const taken = takeAll(attempt);
      return () => {
        for (const bucket of taken) bucket.refund();
      };
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
  return new Problem("rate_limit_exceeded", "Too many attempts; try again later.", {
    retryAfterSeconds,
  });
}

function tooManyAtOnce(): Problem {
  return new Problem("unavailable", "Too many passwords are being checked at the moment; try again in a few seconds.", {
    retryAfterSeconds: 1,
  });
}
