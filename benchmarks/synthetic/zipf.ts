/**
 * Shares by Zipf's law: the r-th is 1/r of the first. They add up to 1. Of a hundred, the first has 19 % and the
 * nineteenth 1 %.
 */
export function zipfShares(count: number): Float64Array {
  const shares = Float64Array.from({ length: count }, (_, index) => 1 / (index + 1));
  const sum = shares.reduce((before, share) => before + share, 0);
  return shares.map((share) => share / sum);
}

/**
 * Whole numbers in the proportion of the shares, each at least 1, that add up to exactly `total`. Throws when `total`
 * is smaller than their number.
 */
export function apportion(total: number, shares: Float64Array): number[] {
  const extra = total - shares.length;
  if (extra < 0) throw new RangeError(`${total} cannot be shared out among ${shares.length} that each get 1 at least.`);
  let sum = 0;
  let given = 0;
  return Array.from(shares, (share, index) => {
    sum += share;
    // Rounds the running sum, so that rounding errors carry over to the next part.
    const end = index === shares.length - 1 ? extra : Math.round(extra * sum);
    const part = end - given;
    given = end;
    return part + 1;
  });
}
