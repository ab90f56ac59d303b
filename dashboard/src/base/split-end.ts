/** Texts up to this width are truncated at their end. Letters have the width 1, wide characters 2. */
const wholeWidthMax = 16;
const endWidthMax = 8;
/** Hebrew, Arabic and their neighbors, whose end is at the left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Chinese, Japanese and Korean characters, and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const segmenter = new Intl.Segmenter();

/**
 * Divides a text in two, to keep its end visible where there is no room for all of it. `end` is "" for a text that is not
 * divided.
 */
export function splitEnd(text: string): { start: string; end: string } {
  const whole = { start: text, end: "" };
  if (rightToLeft.test(text)) return whole;
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  if (widthOf(characters) <= wholeWidthMax) return whole;
  let count = 1;
  while (widthOf(characters.slice(-count - 1)) <= endWidthMax) count++;
  return { start: characters.slice(0, -count).join(""), end: characters.slice(-count).join("") };
}

function widthOf(characters: readonly string[]): number {
  return characters.reduce((width, character) => width + (wide.test(character) ? 2 : 1), 0);
}
