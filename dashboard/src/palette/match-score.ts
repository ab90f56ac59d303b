/** How well an entry matches, best first. */
const startsAsTyped = 1;
const startsWords = 0.8;
const hasInitials = 0.6;
const containsWords = 0.4;

/**
 * How well a search matches an entry of the palette, from 0 (not at all) to 1. Every typed word must occur in the value
 * or the texts of the entry, or the search must be the initials of a text: "cl" finds "Create link". Letters that are
 * merely in the right order match nothing.
 */
export function matchScore(value: string, search: string, texts: readonly string[] = []): number {
  const typed = search.trim().toLowerCase();
  const typedWords = wordsOf(typed);
  // The values of found links begin with the search.
  const candidates = [value, ...texts].map((text) => text.toLowerCase());
  if (candidates.some((text) => text.startsWith(typed))) return startsAsTyped;
  const words = candidates.flatMap(wordsOf);
  if (typedWords.every((each) => words.some((word) => word.startsWith(each)))) return startsWords;
  if (candidates.some((text) => initialsOf(text).startsWith(typed))) return hasInitials;
  return typedWords.every((each) => candidates.some((text) => text.includes(each))) ? containsWords : 0;
}

function wordsOf(text: string): string[] {
  return text.split(/[\s:/·-]+/).filter((word) => word !== "");
}

function initialsOf(text: string): string {
  return wordsOf(text)
    .map((word) => word[0] ?? "")
    .join("");
}
