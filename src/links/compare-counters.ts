import type { LinkCount } from "../clicks/recount.ts";

/** What a link says of its clicks. */
export type StoredCounter = { linkId: string; clicks: number; lastClicked: number | null };

/** A link whose counter differs from its clicks: what it says, and what would be right. */
export type CounterDifference = { found: StoredCounter; right: StoredCounter };

/**
 * The counters that differ from the clicks of their links, in the order given. `counts` is by link, of those that have
 * human clicks. A last click that is known to a quarter of an hour is right anywhere within it.
 * Unless the counts are complete, which they are not where clicks are stored elsewhere or lost, a counter may say more
 * clicks and a later last one than they do.
 */
export function compareCounters(
  counters: readonly StoredCounter[],
  counts: ReadonlyMap<string, Omit<LinkCount, "linkId">>,
  { isComplete }: { isComplete: boolean },
): CounterDifference[] {
  return counters.flatMap((found) => {
    const exact = rightCounter(found, counts.get(found.linkId));
    const right = isComplete ? exact : atLeast(found, exact);
    return right.clicks === found.clicks && right.lastClicked === found.lastClicked ? [] : [{ found, right }];
  });
}

function rightCounter(
  { linkId, lastClicked: last }: StoredCounter,
  count: Omit<LinkCount, "linkId"> | undefined,
): StoredCounter {
  if (count === undefined) return { linkId, clicks: 0, lastClicked: null };
  const { clicks, lastClicked } = count;
  const isWithin = last !== null && last >= lastClicked.from && last <= lastClicked.to;
  return { linkId, clicks, lastClicked: isWithin ? last : lastClicked.from };
}

function atLeast(found: StoredCounter, { linkId, clicks, lastClicked }: StoredCounter): StoredCounter {
  const isLater = found.lastClicked !== null && (lastClicked === null || found.lastClicked > lastClicked);
  return {
    linkId,
    clicks: Math.max(found.clicks, clicks),
    lastClicked: isLater ? found.lastClicked : lastClicked,
  };
}

/** Adds up what is known of the same links from two places. */
export function addCounts(counts: Map<string, Omit<LinkCount, "linkId">>, added: readonly LinkCount[]): void {
  for (const { linkId, clicks, lastClicked } of added) {
    const known = counts.get(linkId);
    counts.set(linkId, {
      clicks: clicks + (known?.clicks ?? 0),
      lastClicked: {
        from: Math.max(lastClicked.from, known?.lastClicked.from ?? 0),
        to: Math.max(lastClicked.to, known?.lastClicked.to ?? 0),
      },
    });
  }
}
