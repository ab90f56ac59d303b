import { Recent } from "../base/recent.ts";
import { minuteMs } from "../base/time.ts";
import type { PasswordNote } from "./pages.ts";

/** Attempts of one address on one link in a period. */
const attemptsMax = 10;
const attemptsPeriodMs = minuteMs;
/** Pairs of address and link remembered; twice as many at most. */
const recentAttemptsMax = 10_000;
/** Checking one takes 64 MiB and tens of milliseconds; a flood of them must not take the machine. */
const checkingMax = 4;

/** Whether a visitor's password opens a link, and what to tell them when not. */
export type Unlocking = { isUnlocked: boolean; note?: PasswordNote };

/** What holds for a link without a password, and for a visitor who has not given one. */
export const locked: Unlocking = { isUnlocked: false };

/** Checks passwords of links: `query` carries the visitor's as `pw`. */
export type Gate = (
  link: { id: string; passwordHash: string },
  query: string,
  address: string,
  now: number,
) => Promise<Unlocking>;

/** A gate that limits attempts per link and address, and the checks under way. */
export function openGate(): Gate {
  const attempts = new Recent<string, { count: number; endsAt: number }>(recentAttemptsMax);
  let checking = 0;

  return async (link, query, address, now) => {
    const password = new URLSearchParams(query).get("pw");
    if (password === null) return locked;
    const pair = `${link.id} ${address}`;
    const before = attempts.get(pair);
    const period = before === undefined || before.endsAt <= now ? { count: 0, endsAt: now + attemptsPeriodMs } : before;
    if (period.count >= attemptsMax || checking >= checkingMax) return { isUnlocked: false, note: "tooMany" };
    attempts.set(pair, { ...period, count: period.count + 1 });
    checking++;
    try {
      const fits = await Bun.password.verify(password, link.passwordHash);
      return fits ? { isUnlocked: true } : { isUnlocked: false, note: "wrong" };
    } finally {
      checking--;
    }
  };
}
