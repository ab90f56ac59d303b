/** The change of a number since an earlier one. */
type Change =
  /** The earlier number is 0, so that no percentage exists. */
  | { kind: "new" }
  /** Equal, or so close that the change would be shown as 0%. */
  | { kind: "same" }
  /** `part` is relative to the earlier number: 0.5 for 50 % more, -0.5 for 50 % less. */
  | { kind: "up" | "down"; part: number };

const shownPartMin = 0.0005;

/** The change between two counts. */
export function changeOf(now: number, before: number): Change {
  if (now === before) return { kind: "same" };
  if (before === 0) return { kind: "new" };
  const part = now / before - 1;
  if (Math.abs(part) < shownPartMin) return { kind: "same" };
  return { kind: part > 0 ? "up" : "down", part };
}

/** The number of shades above zero of the map and the heat map. */
export const shadesMax = 5;

/**
 * The shade of a number relative to the maximum: 0 for nothing, else 1 to shadesMax. The square root keeps small
 * numbers distinguishable beside a large one.
 */
export function shadeOf(value: number, max: number): number {
  if (value <= 0 || max <= 0) return 0;
  return Math.max(1, Math.ceil(Math.sqrt(value / max) * shadesMax));
}

/**
 * The shade of a number in a narrow range, such as the hours of a week: 0 for nothing, else 1 for the minimum above
 * zero to shadesMax for the maximum.
 */
export function shadeBetween(value: number, min: number, max: number): number {
  if (value <= 0) return 0;
  if (max <= min) return shadesMax;
  return 1 + Math.round(((value - min) / (max - min)) * (shadesMax - 1));
}
