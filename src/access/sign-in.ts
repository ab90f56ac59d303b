import type { Kysely } from "kysely";
import { sha256 } from "../base/ids.ts";
import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import { type Clock, hourMs, minuteMs } from "../base/time.ts";
import { type Allowance, type TokenBucket, TokenBuckets } from "../base/token-bucket.ts";
import type { Schema } from "../database/schema.ts";
import { fitsPasswordHash } from "./password-hash.ts";
import { normaliseEmail, type User } from "./users.ts";

/** TABLE of what an address and an account may try; the rest is told to come back. In memory, as all limits. */
export const signInAllowances = {
  /** Of passwords that do not fit; one that does costs nothing. */
  signIn: { address: { callsMax: 20, perMs: 10 * minuteMs }, account: { callsMax: 10, perMs: 10 * minuteMs } },
  /** Each is a mail to somebody. */
  passwordReset: { address: { callsMax: 10, perMs: hourMs }, account: { callsMax: 3, perMs: hourMs } },
} as const satisfies Record<string, { address: Allowance; account: Allowance }>;

/** Addresses and accounts that are remembered, of each. */
const callersMax = 20_000;

/** Who tries: from which address, and for which account, be it there or not. */
export type Attempt = { address: string; email: string };

/** What an address and an account may try of one thing. */
export type AttemptLimits = {
  /** Counts an attempt and returns how to take that back. Throws "rate_limit_exceeded". */
  take(attempt: Attempt): { giveBack(): void };
};

/** Opens the limits of one line of the table. */
export function openAttemptLimits(allowances: { address: Allowance; account: Allowance }, now: Clock): AttemptLimits {
  const addresses = new TokenBuckets(allowances.address, callersMax);
  const accounts = new TokenBuckets(allowances.account, callersMax);
  return {
    take({ address, email }) {
      const at = now();
      const taken: TokenBucket[] = [];
      for (const bucket of [
        addresses.of(networkOf(address), at),
        accounts.of(sha256(normaliseEmail(email) ?? email), at),
      ]) {
        if (bucket.take(at)) {
          taken.push(bucket);
          continue;
        }
        throw new Problem("rate_limit_exceeded", "There were too many attempts; wait a while before the next one.", {
          retryAfterSeconds: bucket.secondsToNext(at),
        });
      }
      return {
        giveBack() {
          for (const bucket of taken) bucket.giveBack();
        },
      };
    },
  };
}

/**
 * The hash of a password that nobody has, made as all others: looking for an account that is not there takes as long as
 * trying a wrong password.
 */
export const nobodysHash =
  "$argon2id$v=19$m=65536,t=2,p=1$owXu5r+3yDraBREVBTnPxLZZZKsDhR7RA1h2hVFtkmw$IFUjVnYQNw90VUBoClHNFYKh/gjIe7UUKLKuTLh7Ph4";

/**
 * The user with this e-mail address and password.
 * Guarantee: an address that nobody has cannot be told from a wrong password, by the answer nor by its time.
 * Throws "unauthorized" for both, "rate_limit_exceeded" beyond the limits, "unavailable" when too many passwords are
 * being tried at the moment.
 */
export async function findByPassword(
  { db, limits }: { db: Kysely<Schema>; limits: AttemptLimits },
  address: string,
  { email, password }: { email: string; password: string },
): Promise<User> {
  const attempt = limits.take({ address, email });
  const user = await db
    .selectFrom("users")
    .select(["id", "email", "name", "createdAt", "passwordHash"])
    .where("email", "=", normaliseEmail(email) ?? "")
    .executeTakeFirst();
  const fits = await fitsPasswordHash(password, user?.passwordHash ?? nobodysHash);
  if (!fits || user === undefined || user.passwordHash === null) {
    throw new Problem("unauthorized", "This e-mail address and password do not belong together.");
  }
  attempt.giveBack();
  const { passwordHash: _, ...rest } = user;
  return rest;
}
