import { dayMs, hourMs, minuteMs } from "../base/time.ts";
import type { DomainStatus } from "./domain.ts";

/**
 * When a domain is checked next.
 *
 * 1. The state decides: a failing domain is checked twelve times as often as a verified one, since its links stop soon;
 *    a pending one often while its owner is setting it up, and daily afterwards.
 * 2. A check without an answer is repeated after unansweredFirstMs, and after twice as long each time, up to the
 *    interval of the state: an outage of DNS ends before its domains are due again, and no outage is flooded.
 * 3. Jitter spreads domains that were checked together, such as all of them after a start.
 */

const verifiedMs = 6 * hourMs;
const failingMs = 30 * minuteMs;

/** TABLE of the intervals of a pending domain by the time since its last change. */
const pendingIntervals = [
  { changedWithinMs: hourMs, everyMs: 5 * minuteMs },
  { changedWithinMs: 14 * dayMs, everyMs: hourMs },
];
const oldPendingMs = dayMs;

/** The first pause after a check without an answer; doubles with each further one. */
const unansweredFirstMs = 5 * minuteMs;
const doublingsMax = 12; // 14 days, more than every interval

/** Parts of an interval by which it may differ. An outage hits many domains at once, so its jitter is larger. */
const jitter = 0.1;
const unansweredJitter = 0.5;

/** Upper bound of the time between two checks. A later time was written while the clock was ahead. */
export const checkPauseMaxMs = oldPendingMs * (1 + unansweredJitter);

/** What the schedule depends on. */
export type CheckedState = {
  status: DomainStatus;
  /** Checks in a row without an answer, with the last one. */
  unansweredChecks: number;
  /** The last change of the domain. */
  updatedAt: number;
};

/** The time of the check after one at `now`; `random` is in [0, 1). */
export function nextCheckAt(state: CheckedState, { now, random }: { now: number; random: number }): number {
  const regularMs = intervalMs(state, now);
  if (state.unansweredChecks === 0) return now + spread(regularMs, jitter, random);
  const backOffMs = unansweredFirstMs * 2 ** Math.min(state.unansweredChecks - 1, doublingsMax);
  return now + spread(Math.min(backOffMs, regularMs), unansweredJitter, random);
}

function intervalMs({ status, updatedAt }: CheckedState, now: number): number {
  switch (status) {
    case "verified":
      return verifiedMs;
    case "failing":
      return failingMs;
    case "pending":
      return pendingIntervals.find((row) => now - updatedAt < row.changedWithinMs)?.everyMs ?? oldPendingMs;
  }
}

function spread(ms: number, part: number, random: number): number {
  return Math.round(ms * (1 - part + 2 * part * random));
}
