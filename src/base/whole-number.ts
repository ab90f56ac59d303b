/**
 * The number of a text such as "100"; undefined for another text. Dub's Python, PHP and Ruby clients write whole numbers
 * as decimals, "100.0".
 */
export function readWholeNumber(text: string): number | undefined {
  return /^\d{1,9}(\.0{1,9})?$/.test(text) ? Number(text) : undefined;
}
