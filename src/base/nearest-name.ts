/** A longer text is not a misspelled name, and comparing it would be slow. */
const comparedCharactersMax = 64;

/**
 * Returns the name nearest to a misspelled text, ignoring case; undefined when more than a third of the characters
 * differ, so that wrong suggestions are rare.
 */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  if (text.length > comparedCharactersMax) return undefined;
  const lower = text.toLowerCase();
  let nearest: string | undefined;
  let least = Math.floor(lower.length / 3) + 1;
  for (const name of names) {
    if (Math.abs(name.length - lower.length) >= least) continue;
    const distance = editDistance(lower, name.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

/** Returns the Levenshtein distance: how many characters to change, add or remove to turn one text into the other. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[at - 1] === other[column - 1];
      const left = next[column - 1] ?? 0;
      const above = row[column] ?? 0;
      const diagonal = row[column - 1] ?? 0;
      next.push(Math.min(left + 1, above + 1, diagonal + (isSame ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
