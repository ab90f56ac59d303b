/**
 * Characters of a page that count as one call. The largest page of links has 25 MB, and takes twice as much memory while
 * it is read and sent: 60 requests at once, of a user who may send 600, took 1.2 GB.
 */
const charactersPerCall = 256 * 1024;

/** How many calls a page counts as, by the characters of its texts: one for all but large objects. */
export function callsOfPage(objects: readonly unknown[]): number {
  return callsOfCharacters(charactersOf(objects));
}

/** How many calls a page with this many characters counts as. */
export function callsOfCharacters(characters: number): number {
  return Math.max(1, Math.ceil(characters / charactersPerCall));
}

function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let characters = 0;
  for (const inner of Object.values(value)) characters += charactersOf(inner);
  return characters;
}
