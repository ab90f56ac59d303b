/** Formats a count with its noun, such as "1 link" and "2,841 links". */
export function formatCount(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
