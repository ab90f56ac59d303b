/** The periods that are offered, in days; null means forever. */
export const offeredDays: readonly (number | null)[] = [null, 30, 90, 180, 365, 730];

/** True when the change removes clicks that are kept now. */
export function removesClicks(before: number | null, after: number | null): boolean {
  return after !== null && (before === null || after < before);
}
