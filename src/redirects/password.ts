import { networkOf } from "../base/network.ts";
import { Recent } from "../base/recent.ts";
import { minuteMs } from "../base/time.ts";
import { Turns } from "../base/turns.ts";
import type { PasswordNote } from "./page-texts.ts";

/** Wrong passwords of one network on one link in a period. */
const attemptsMax = 10;
const attemptsPeriodMs = minuteMs;
/** Pairs of network and link remembered; twice as many at most. */
const recentAttemptsMax = 10_000;
/** Checking one takes 64 MiB and tens of milliseconds; a flood of them must not take the machine. */
export const checkingMax = 4;
/** Visitors who wait for a check; the last of them for less than a second. Beyond them a visitor is refused. */
export const checkingWaitingMax = 16;

/** Whether a visitor's password opens a link, and what to tell them when not. */
export type Unlocking = { isUnlocked: boolean; note?: PasswordNote };

/** What holds for a link without a password, and for a visitor who has not given one. */
export const locked: Unlocking = { isUnlocked: false };

const tooMany: Unlocking = { isUnlocked: false, note: "tooMany" };

/** Checks the passwords that visitors give for links; null where a visitor has given none. */
export type Gate = (
  link: { id: string; passwordHash: string },
  password: string | null,
  address: string,
  now: number,
) => Promise<Unlocking>;

type Period = { attempts: number; endsAt: number };

/** A gate that limits wrong passwords per link and network, and the checks under way. */
export function openGate(): Gate {
  const periods = new Recent<string, Period>(recentAttemptsMax);
  const turns = new Turns({ runningMax: checkingMax, waitingMax: checkingWaitingMax });

  function periodOf(pair: string, now: number): Period {
    const known = periods.get(pair);
    if (known !== undefined && known.endsAt > now) return known;
    const period = { attempts: 0, endsAt: now + attemptsPeriodMs };
    periods.set(pair, period);
    return period;
  }

  return async (link, password, address, now) => {
    if (password === null) return locked;
    const period = periodOf(`${link.id} ${networkOf(address)}`, now);
    if (period.attempts >= attemptsMax) return tooMany;
    const turn = await turns.run(() => check(password, link.passwordHash, period));
    return turn.kind === "done" ? turn.value : tooMany;
  };
}

/** Counts first and takes the right ones back, so that guesses sent at the same moment are counted too. */
async function check(password: string, passwordHash: string, period: Period): Promise<Unlocking> {
  if (period.attempts >= attemptsMax) return tooMany;
  period.attempts++;
  if (!(await Bun.password.verify(password, passwordHash))) return { isUnlocked: false, note: "wrong" };
  period.attempts--;
  return { isUnlocked: true };
}
