import { LruCache } from "../base/lru-cache.ts";
import { networkOf, siteOf } from "../base/network.ts";
import { Semaphore } from "../base/semaphore.ts";
import { type SharedAttempts, unshared } from "../base/shared-attempts.ts";
import { minuteMs } from "../base/time.ts";

/**
 * Checks the passwords that visitors enter for links.
 *
 * 1. Only wrong passwords count, per link and for all links together, so that an attacker's own links give no further
 *    guesses.
 * 2. Right passwords are not limited, so the queue is fair by network: each site (siteOf) has one waiting slot. However
 *    many connections an attacker opens, others wait only for the running checks and one of the attacker's.
 * 3. A visitor who finds the queue full has made no attempt: "busy" (503), never "tooMany" (429).
 */

/** Wrong passwords of one network on one link in a period. */
const attemptsMax = 10;
/** Wrong passwords of one site on all links in a period. */
export const siteAttemptsMax = 30;
const attemptsPeriodMs = minuteMs;
/** The name of these limits among those that processes share. */
const limitsName = "linkPassword";
/** Pairs of network and link, and sites, kept in caches of this size; at most twice as many of each. */
const recentAttemptsMax = 10_000;
/** Concurrent checks. Each takes 64 MiB and tens of milliseconds; a flood must not exhaust the machine. */
export const checkingMax = 4;
/** Visitors who wait for a check, for up to a second; others are refused. */
export const checkingWaitingMax = 32;
const siteWaitingMax = 1;

/**
 * Why a password did not unlock the link: it is wrong, its form is too long, too many were wrong, or the server was too
 * busy to check it.
 */
export type PasswordError = "wrong" | "tooLong" | "tooMany" | "busy";

/** The result of a check: whether the link opens, and otherwise why not. */
export type PasswordCheck = { isUnlocked: boolean; error?: PasswordError };

/** The result for a link without a password, and for a visitor who entered none. */
export const locked: PasswordCheck = { isUnlocked: false };
/** The result for a form that is too long to be read. */
export const tooLong: PasswordCheck = { isUnlocked: false, error: "tooLong" };

const tooMany: PasswordCheck = { isUnlocked: false, error: "tooMany" };
const busy: PasswordCheck = { isUnlocked: false, error: "busy" };

/** The status of the page after a password was not checked; undefined after a check. */
export function passwordErrorStatus(error: PasswordError | undefined): 413 | 429 | 503 | undefined {
  if (error === "tooLong") return 413;
  if (error === "tooMany") return 429;
  return error === "busy" ? 503 : undefined;
}

/** A visitor's password (null for none) and address; `signal` aborts when the visitor disconnects. */
type GivenPassword = { password: string | null; address: string; signal?: AbortSignal | undefined };

/** Checks a visitor's password for a link. */
export type CheckPassword = (
  link: { id: string; passwordHash: string },
  given: GivenPassword,
  now: number,
) => Promise<PasswordCheck>;

/** Returns a checker with its own queue; `shared` tells other processes about wrong passwords. */
export function openPasswordChecker(shared: SharedAttempts = unshared): CheckPassword {
  const limits = { pair: new AttemptPeriods(attemptsMax), site: new AttemptPeriods(siteAttemptsMax) };
  const semaphore = new Semaphore({
    runningMax: checkingMax,
    waitingMax: checkingWaitingMax,
    waitingPerPartyMax: siteWaitingMax,
  });

  shared.onAnnounced(limitsName, ({ pair, site }) => {
    if (pair !== undefined) limits.pair.of(pair, Date.now()).attempts++;
    if (site !== undefined) limits.site.of(site, Date.now()).attempts++;
  });

  return async (link, { password, address, signal }, now) => {
    if (password === null) return locked;
    const site = siteOf(address);
    const keys = { pair: shared.hash(`${link.id} ${networkOf(address)}`), site: shared.hash(site) };
    const periods = [limits.pair.of(keys.pair, now), limits.site.of(keys.site, now)];
    if (periods.some(isExhausted)) return tooMany;
    const checked = await semaphore.run(() => check(password, link.passwordHash, periods), { party: site, signal });
    if (checked.kind !== "done") return busy;
    if (checked.value.error === "wrong") shared.announce({ limits: limitsName, keys });
    return checked.value;
  };
}

type Period = { attempts: number; attemptsMax: number; endsAt: number };

/** Counts wrong passwords by name, each within its current period. */
class AttemptPeriods {
  readonly #attemptsMax: number;
  readonly #recent = new LruCache<string, Period>(recentAttemptsMax);

  constructor(attemptsMax: number) {
    this.#attemptsMax = attemptsMax;
  }

  of(name: string, now: number): Period {
    const known = this.#recent.get(name);
    if (known !== undefined && known.endsAt > now) return known;
    const period = { attempts: 0, attemptsMax: this.#attemptsMax, endsAt: now + attemptsPeriodMs };
    this.#recent.set(name, period);
    return period;
  }
}

function isExhausted({ attempts, attemptsMax }: Period): boolean {
  return attempts >= attemptsMax;
}

/** Counts the attempt first, and uncounts it unless the password is wrong: so concurrent guesses are counted too. */
async function check(password: string, passwordHash: string, periods: readonly Period[]): Promise<PasswordCheck> {
  if (periods.some(isExhausted)) return tooMany;
  for (const period of periods) period.attempts++;
  let isWrong = false;
  try {
    isWrong = !(await Bun.password.verify(password, passwordHash));
    return isWrong ? { isUnlocked: false, error: "wrong" } : { isUnlocked: true };
  } finally {
    if (!isWrong) for (const period of periods) period.attempts--;
  }
}
