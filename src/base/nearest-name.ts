/** A longer text is not a misspelled name, and comparing it would be slow. */
const comparedCharactersMax = 64;
/** The most edits between a text and its suggestion, and how many characters each of them needs. */
const editsMax = 2;
const charactersPerEdit = 3;
/** A text of this length or more that is a part of a name stands for that name. */
const partCharactersMin = 5;

/**
 * Returns the name nearest to a misspelled text, ignoring case and separators, otherwise the first name that contains
 * it. Undefined when too many characters differ, so that wrong suggestions are rare.
 */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  if (text.length > comparedCharactersMax) return undefined;
  const normalizedText = normalized(text);
  let nearest: string | undefined;
  let containing: string | undefined;
  let least = Math.min(editsMax, Math.floor(normalizedText.length / charactersPerEdit)) + 1;
  for (const name of names) {
    const candidate = normalized(name);
    if (normalizedText.length >= partCharactersMin && candidate.includes(normalizedText)) containing ??= name;
    if (Math.abs(candidate.length - normalizedText.length) >= least) continue;
    const distance = editDistance(normalizedText, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest ?? containing;
}

/** Lower case without separators, so that `max_clicks` equals `maxClicks`. */
function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}

/** Returns the Levenshtein distance: how many characters to change, add or remove to turn one text into the other. */
function editDistance(one: string, other: string): number {
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
