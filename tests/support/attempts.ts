import { expect } from "bun:test";
import type { Allowance } from "../../src/base/token-bucket.ts";

/**
 * More than any allowance given here admits within the time of a test: a server that admits all of them has no limit.
 */
const attemptsMax = 40;
const runsMax = 3;

/**
 * Returns the number of calls by which an allowance may have refilled since then; it grows with the time that a busy
 * machine needs.
 */
export function cameBackMax({ callsMax, perMs }: Allowance, since: number): number {
  return Math.floor(((Date.now() - since) * callsMax) / perMs);
}

/**
 * Attempts one after the other until one is answered 429, and fails unless as many were admitted before it as a full
 * allowance holds, plus those that came back in between.
 */
export async function attemptUntilLimited<Answer extends { status: number }>(
  allowance: Allowance,
  attempt: (index: number) => Promise<Answer>,
): Promise<{ admitted: Answer[]; refused: Answer }> {
  const { callsMax } = allowance;
  const since = Date.now();
  const admitted: Answer[] = [];
  let latest = await attempt(0);
  while (latest.status !== 429 && admitted.length < attemptsMax) {
    admitted.push(latest);
    latest = await attempt(admitted.length);
  }

  expect(latest.status).toBe(429);
  expect(admitted.length).toBeGreaterThanOrEqual(callsMax);
  expect(admitted.length).toBeLessThanOrEqual(callsMax + cameBackMax(allowance, since));
  return { admitted, refused: latest };
}

/**
 * What came of the first run that was over in `ms`, for limits that end so long after the first attempt: a run that a
 * busy machine kept beyond that says nothing of them.
 */
export async function runWithin<Result>(ms: number, run: () => Promise<Result>): Promise<Result> {
  for (let runs = 0; runs < runsMax; runs++) {
    const since = Date.now();
    const result = await run();
    if (Date.now() - since < ms) return result;
  }
  throw new Error(`None of ${runsMax} runs was over in ${ms} ms.`);
}

/**
 * Fails unless each call leaves one less of an allowance that was full at `since` than the one before, or came back.
 */
export function expectCountedDown(remaining: readonly number[], allowance: Allowance, since: number): void {
  const leftMin = remaining.map((_, index) => allowance.callsMax - 1 - index);
  const back = remaining.map((left, index) => left - (leftMin[index] ?? Number.NaN));
  const backMax = cameBackMax(allowance, since);
  expect({ remaining, isCountedDown: back.every((calls) => calls >= 0 && calls <= backMax) }).toEqual({
    remaining,
    isCountedDown: true,
  });
}
