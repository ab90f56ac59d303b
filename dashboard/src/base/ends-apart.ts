/** Texts up to this length are truncated at their end. */
const wholeCharactersMax = 16;
const endCharacters = 8;
/** Hebrew, Arabic and their neighbors, whose end is at the left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const segmenter = new Intl.Segmenter();

/**
 * Divides a text in two, to keep its end visible where there is no room for all of it. `end` is "" for a text that is not
 * divided.
 */
export function endsApart(text: string): { start: string; end: string } {
  const whole = { start: text, end: "" };
  if (text.length <= wholeCharactersMax || rightToLeft.test(text)) return whole;
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  if (characters.length <= wholeCharactersMax) return whole;
  return { start: characters.slice(0, -endCharacters).join(""), end: characters.slice(-endCharacters).join("") };
}
