/** How a number changed against one before it. */
export type Change =
  /** There was nothing, so that no part can be said. */
  | { kind: "new" }
  /** Or by so little that it would be shown as 0 %. */
  | { kind: "same" }
  /** `part` is of the number before: 0.5 for half more, -0.5 for half less. */
  | { kind: "up" | "down"; part: number };

const shownPartMin = 0.005;

/** What became of a number since the one before it; both are counts, 0 or more. */
export function changeOf(now: number, before: number): Change {
  if (now === before) return { kind: "same" };
  if (before === 0) return { kind: "new" };
  const part = now / before - 1;
  if (Math.abs(part) < shownPartMin) return { kind: "same" };
  return { kind: part > 0 ? "up" : "down", part };
}

/** How many shades a map and a heat map have for more than nothing. */
export const shadesMax = 5;

/**
 * Which shade stands for a number beside the greatest of all: 0 for nothing, else 1 to shadesMax. By the root, so that
 * one great number leaves differences between the small ones.
 */
export function shadeOf(value: number, max: number): number {
  if (value <= 0 || max <= 0) return 0;
  return Math.max(1, Math.ceil(Math.sqrt(value / max) * shadesMax));
}

/**
 * Which shade stands for a number among others that are much alike, as the hours of a week are: 0 for nothing, else 1 for
 * the least of those that are more than nothing, to shadesMax for the greatest.
 */
export function shadeBetween(value: number, min: number, max: number): number {
  if (value <= 0) return 0;
  if (max <= min) return shadesMax;
  return 1 + Math.round(((value - min) / (max - min)) * (shadesMax - 1));
}
