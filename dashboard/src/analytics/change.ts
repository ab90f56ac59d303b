/** How a number changed against one before it. */
export type Change =
  /** There was nothing, so that no part can be said. */
  | { kind: "new" }
  | { kind: "same" }
  /** `part` is of the number before: 0.5 for half more, -0.5 for half less. */
  | { kind: "up" | "down"; part: number };

export function changeOf(now: number, before: number): Change {
  if (now === before) return { kind: "same" };
  if (before === 0) return { kind: "new" };
  const part = now / before - 1;
  return { kind: part > 0 ? "up" : "down", part };
}

/** How many shades a map and a heat map have for more than nothing. */
export const shadesMax = 5;

/**
 * Which shade stands for a number beside the greatest of all: 0 for nothing, else 1 to shadesMax. By the root, so that
 * one great number leaves differences between the small ones.
 */
export function shadeOf(value: number, greatest: number): number {
  if (value <= 0 || greatest <= 0) return 0;
  return Math.max(1, Math.ceil(Math.sqrt(value / greatest) * shadesMax));
}
