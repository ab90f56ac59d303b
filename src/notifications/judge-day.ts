/**
 * Whether a day is a spike or a drop, compared with the same weekday of the weeks before it.
 *
 * 1. The typical number is the median of up to weeksCompared same weekdays on which the subject existed; with fewer than
 *    weeksMin of them there is no alert, so that a new workspace that grows is no spike.
 * 2. Below clicksMin there is no alert, since small numbers vary a lot.
 * 3. A spike or drop that lasts is announced once: within quietDays of an alert, only a day with twice the clicks of the
 *    announced one is another spike, and no day is another drop.
 */

/** How many earlier weeks a day is compared with: at most, and at least. */
const weeksCompared = 4;
const weeksMin = 2;
/** The fewest clicks of a spike, and of a typical day before a drop. */
const clicksMin = 100;
/** A spike has at least this multiple of the typical number; a drop has at most this fraction of it. */
const spikeFactor = 3;
const dropFactor = 0.5;
const quietDays = 7;

/** The days before a judged one whose clicks the rule needs. */
export const daysNeeded = weeksCompared * 7;

/** The days up to the judged one, which is the last; at least one. */
type DaysUpTo = {
  /** The clicks of each day, ascending and without gaps. */
  clicks: readonly number[];
  /** Days before the judged one on which the subject existed. */
  age: number;
  /** Days between the last alert and the judged day; undefined without an alert. */
  daysSinceAlert: number | undefined;
};

/** A day that deserves an alert: its clicks, and the typical number. */
export type UnusualDay = { clicks: number; typical: number };

/** Returns the numbers of the last day if it is a spike or drop; undefined if it is not. */
export function judgeDay(kind: "spike" | "drop", { clicks, age, daysSinceAlert }: DaysUpTo): UnusualDay | undefined {
  const last = clicks.length - 1;
  const today = clicks[last] ?? 0;
  const before: number[] = [];
  for (let week = 1; week <= weeksCompared; week++) {
    const compared = clicks[last - week * 7];
    if (compared !== undefined && week * 7 <= age) before.push(compared);
  }
  if (before.length < weeksMin) return undefined;
  const typical = median(before);
  const isRecent = daysSinceAlert !== undefined && daysSinceAlert <= quietDays;
  if (kind === "drop") {
    const isDrop = typical >= clicksMin && today <= typical * dropFactor;
    return isDrop && !isRecent ? { clicks: today, typical } : undefined;
  }
  const announced = isRecent ? (clicks[last - daysSinceAlert] ?? 0) : 0;
  const isSpike = today >= clicksMin && today >= typical * spikeFactor && today >= announced * 2;
  return isSpike ? { clicks: today, typical } : undefined;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round((upper + (sorted[middle - 1] ?? 0)) / 2);
}
