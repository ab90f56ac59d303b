/** A link whose clicks before an instant are being removed. */
export type Purge = { linkId: string; before: number };

/** Returns a predicate for the clicks that these purges remove. Ingest and counters skip such clicks. */
export function purgedBy(purges: readonly Purge[]): (linkId: string, time: number) => boolean {
  if (purges.length === 0) return () => false;
  const purgedBefore = new Map(purges.map(({ linkId, before }) => [linkId, before]));
  return (linkId, time) => time < (purgedBefore.get(linkId) ?? Number.NEGATIVE_INFINITY);
}
