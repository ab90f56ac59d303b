/** The letter of a variant, as in the editor. */
export function variantLetter(index: number): string {
  return String.fromCharCode("A".charCodeAt(0) + index);
}
