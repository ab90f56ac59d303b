import type { LinkCount } from "../clicks/recount.ts";

/** The click counter stored with a link. */
export type StoredCounter = { linkId: string; clicks: number; lastClicked: number | null };

/** A link whose stored counter differs from its clicks, and the correct counter. */
export type CounterDifference = { found: StoredCounter; right: StoredCounter };

/**
 * Returns the counters that differ from the clicks of their links, in the order given. `counts` holds the links with
 * human clicks. A last click that is known only to a quarter of an hour is correct anywhere within it.
 * When the counts are incomplete, because clicks are lost or stored elsewhere, a counter may exceed them and its last
 * click may be later.
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

/** Adds the counts of the same links from two sources. */
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
