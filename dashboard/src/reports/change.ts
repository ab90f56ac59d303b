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
