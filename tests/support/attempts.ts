import { expect } from "bun:test";
import type { Allowance } from "../../src/base/token-bucket.ts";

/** More calls than any allowance here admits during a test: a server that admits all of them has no limit. */
const attemptsMax = 40;
const runsMax = 3;

/**
 * Returns the maximum number of calls by which an allowance may have refilled since an instant. It grows with the time
 * that a busy machine needs.
 */
export function refilledCallsMax({ callsMax, perMs }: Allowance, since: number): number {
  return Math.floor(((Date.now() - since) * callsMax) / perMs);
}

/**
 * Repeats an attempt until the server answers 429. Fails unless the number of admitted attempts is that of a full
 * allowance, plus at most those that refilled in between.
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
  expect(admitted.length).toBeLessThanOrEqual(callsMax + refilledCallsMax(allowance, since));
  return { admitted, refused: latest };
}

/**
 * The result of the first run that ended within `ms`, for limits that expire that long after the first attempt. A
 * slower run, on a busy machine, does not test them.
 */
export async function runWithin<Result>(ms: number, run: () => Promise<Result>): Promise<Result> {
  for (let runs = 0; runs < runsMax; runs++) {
    const since = Date.now();
    const result = await run();
    if (Date.now() - since < ms) return result;
  }
  throw new Error(`None of ${runsMax} runs ended within ${ms} ms.`);
}

/**
 * Fails unless each call takes one call from an allowance that was full at `since`, apart from calls that refilled.
 */
export function expectCountedDown(remaining: readonly number[], allowance: Allowance, since: number): void {
  const remainingMin = remaining.map((_, index) => allowance.callsMax - 1 - index);
  const refilled = remaining.map((calls, index) => calls - (remainingMin[index] ?? Number.NaN));
  const refilledMax = refilledCallsMax(allowance, since);
  expect({ remaining, isCountedDown: refilled.every((calls) => calls >= 0 && calls <= refilledMax) }).toEqual({
    remaining,
    isCountedDown: true,
  });
}
