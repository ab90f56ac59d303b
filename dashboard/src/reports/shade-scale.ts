/** The number of shades above zero of the map and the heat map. */
export const shadesMax = 5;

/** The range of numbers with one shade; both ends are included. */
type ShadeRange = { from: number; to: number };

/** Assigns shades to the numbers of a drawing. */
export type ShadeScale = {
  /** The shade of a number: 0 for nothing, else 1 to shadesMax. */
  shadeOf(value: number): number;
  /** The used shades above zero with the numbers that have them, ascending. */
  ranges: { shade: number; range: ShadeRange }[];
};

/**
 * Divides numbers into quantiles: each shade has about as many different numbers, so that one large number does not
 * leave all others in the lightest shade. Equal numbers have the same shade, and the maximum has the darkest.
 */
export function shadeScaleOf(values: Iterable<number>): ShadeScale {
  const different = [...new Set(values)].filter((value) => value > 0).sort((one, other) => one - other);
  const shades = new Map(
    different.map((value, index) => [value, Math.ceil(((index + 1) / different.length) * shadesMax)]),
  );
  const ranges = Array.from({ length: shadesMax }, (_, index) => index + 1).flatMap((shade) => {
    const members = different.filter((value) => shades.get(value) === shade);
    const [from, to] = [members[0], members.at(-1)];
    return from === undefined || to === undefined ? [] : [{ shade, range: { from, to } }];
  });
  return { shadeOf: (value) => shades.get(value) ?? 0, ranges };
}
