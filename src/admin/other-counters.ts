/**
 * Counters of links among several nodes.
 *
 * The spools of other nodes are on other disks, and their readers go on during a comparison, so the store and the counters
 * are never read at the same position of them. Instead, counters are read twice: before the store, which is read when it
 * holds all clicks of the first reading, and after it, when they contain all clicks of the store. A counter that is equal
 * in both readings had no click of another node in between, so it can be compared exactly. For any other one, the store
 * must be between both.
 */
import type { Db } from "../database/database.ts";
import { type CounterDifference, compareCounters, type StoredCounter } from "../links/compare-counters.ts";
import { allCountersCursors, type CounterPage, readCounters } from "../links/correct-counters.ts";

/** The first reading; without other nodes, it is empty. */
export type EarlierCounters = {
  counters: ReadonlyMap<string, StoredCounter>;
  /** By spool of another node: all clicks in `counters` were before this position. */
  positions: ReadonlyMap<string, number>;
};

/** Reads the counters of a page for the first time. `spools` are those of other nodes. */
export async function readEarlierCounters(
  reads: Db,
  spools: readonly { spoolId: string }[],
  page: CounterPage,
): Promise<EarlierCounters> {
  if (spools.length === 0) return { counters: new Map(), positions: new Map() };
  const counters = await readCounters(reads, page);
  const counted = await allCountersCursors(reads);
  return {
    counters: new Map(counters.map((counter) => [counter.linkId, counter])),
    positions: new Map(spools.map(({ spoolId }) => [spoolId, counted.get(spoolId)?.first ?? 0])),
  };
}

/** Bytes of other nodes' spools that the first reading has counted and the store does not hold. */
export function bytesNotStored({ positions }: EarlierCounters, stored: Readonly<Record<string, number>>): number {
  return sumOf(positions, (spoolId, position) => position - (stored[spoolId] ?? 0));
}

/** Bytes of other nodes' spools that the store holds and the counters do not; `counted` is the position of all counters. */
export function bytesNotCounted(
  { positions }: EarlierCounters,
  stored: Readonly<Record<string, number>>,
  counted: (spoolId: string) => number,
): number {
  return sumOf(positions, (spoolId) => (stored[spoolId] ?? 0) - counted(spoolId));
}

function sumOf(positions: EarlierCounters["positions"], bytes: (spoolId: string, position: number) => number): number {
  return [...positions].reduce((sum, [spoolId, position]) => sum + Math.max(0, bytes(spoolId, position)), 0);
}

/**
 * Compares the second reading with the clicks. `exact` are the differences of counters that are equal in both readings,
 * `approximate` those of the others, and `clicked` is the number of the others.
 */
export function compareReadings(
  { counters: earlier, positions }: EarlierCounters,
  counters: readonly StoredCounter[],
  counts: Parameters<typeof compareCounters>[1],
  { isComplete }: { isComplete: boolean },
): { exact: CounterDifference[]; approximate: CounterDifference[]; clicked: number } {
  const isExact = ({ linkId, clicks, lastClicked }: StoredCounter) => {
    const before = earlier.get(linkId);
    return positions.size === 0 || (before?.clicks === clicks && before.lastClicked === lastClicked);
  };
  const clicked = counters.filter((counter) => !isExact(counter));
  const approximate = clicked.flatMap((found): CounterDifference[] => {
    const stored = counts.get(found.linkId)?.clicks ?? 0;
    const missing = Math.max(0, stored - found.clicks);
    const surplus = isComplete ? Math.max(0, (earlier.get(found.linkId)?.clicks ?? 0) - stored) : 0;
    if (missing + surplus === 0) return [];
    return [{ found, right: { ...found, clicks: found.clicks + missing - surplus } }];
  });
  return {
    exact: compareCounters(counters.filter(isExact), counts, { isComplete }),
    approximate,
    clicked: clicked.length,
  };
}
