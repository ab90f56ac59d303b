/** A link of which the clicks from before a moment are being removed. */
export type Purge = { linkId: string; before: number };

/** Tells the clicks that these purges are about: they are passed over, wherever they are on their way. */
export function purgedBy(purges: readonly Purge[]): (linkId: string, time: number) => boolean {
  if (purges.length === 0) return () => false;
  const befores = new Map(purges.map(({ linkId, before }) => [linkId, before]));
  return (linkId, time) => time < (befores.get(linkId) ?? Number.NEGATIVE_INFINITY);
}
