/** True where fingers are the main way to point: a focused field then opens a keyboard, which covers half of a form. */
export function isTouchScreen(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}
