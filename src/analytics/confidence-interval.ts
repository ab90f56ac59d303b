/** The quantile of the normal distribution for a confidence of 95 %. */
const quantile = 1.959964;

/**
 * The 95 % confidence interval of a share, by Wilson's method, which also holds for small numbers and for shares near 0
 * and 1. Shape: low and high are from 0 to 1. `total` must be positive.
 */
export function confidenceInterval(part: number, total: number): { low: number; high: number } {
  const share = part / total;
  const square = quantile ** 2 / total;
  const center = (share + square / 2) / (1 + square);
  const half = (quantile / (1 + square)) * Math.sqrt((share * (1 - share)) / total + square / (4 * total));
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
