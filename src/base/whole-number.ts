/**
 * Parses a text such as "100"; undefined for any other. Dub's Python, PHP and Ruby clients write whole numbers as
 * "100.0".
 */
export function readWholeNumber(text: string): number | undefined {
  return /^\d{1,9}(\.0{1,9})?$/.test(text) ? Number(text) : undefined;
}
