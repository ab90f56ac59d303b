/** Days that are offered; null means for ever. */
export const offeredDays: readonly (number | null)[] = [null, 30, 90, 180, 365, 730];

/** Whether clicks that are kept now would be removed. */
export function removesClicks(before: number | null, after: number | null): boolean {
  return after !== null && (before === null || after < before);
}
