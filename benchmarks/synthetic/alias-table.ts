/** Draws indexes by their weights, each draw in constant time (the alias method of Walker and Vose). */
export class AliasTable {
  readonly #chances: Float64Array;
  readonly #aliases: Uint32Array;
  /** While the table is filled: indexes below the average weight from the front, others from the back. */
  readonly #waiting: Uint32Array;

  /** Creates a table for the indexes of `weights`. Throws when the sum of the weights is not above 0. */
  constructor(weights: ArrayLike<number>) {
    this.#chances = new Float64Array(weights.length);
    this.#aliases = new Uint32Array(weights.length);
    this.#waiting = new Uint32Array(weights.length);
    this.fill(weights);
  }

  /** Replaces the weights; their number stays the same. Throws like the constructor. */
  fill(weights: ArrayLike<number>): void {
    const size = this.#chances.length;
    let sum = 0;
    for (let index = 0; index < size; index++) sum += weights[index] ?? 0;
    if (!(sum > 0)) throw new Error(`${size} weights have the sum ${sum}: there is nothing to draw.`);
    let smallEnd = 0;
    let largeStart = size;
    for (let index = 0; index < size; index++) {
      const chance = ((weights[index] ?? 0) * size) / sum;
      this.#chances[index] = chance;
      this.#aliases[index] = index;
      if (chance < 1) this.#waiting[smallEnd++] = index;
      else this.#waiting[--largeStart] = index;
    }
    this.#pair(smallEnd, largeStart);
  }

  /** Fills up each index below the average with a part of one above it. */
  #pair(smallCount: number, largeFirst: number): void {
    const waiting = this.#waiting;
    const chances = this.#chances;
    let smallEnd = smallCount;
    let largeStart = largeFirst;
    while (smallEnd > 0 && largeStart < waiting.length) {
      const small = waiting[--smallEnd] ?? 0;
      const large = waiting[largeStart] ?? 0;
      this.#aliases[small] = large;
      const remainder = (chances[large] ?? 0) + (chances[small] ?? 0) - 1;
      chances[large] = remainder;
      if (remainder >= 1) continue;
      largeStart++;
      waiting[smallEnd++] = large;
    }
    // Rounding alone keeps these from being exactly the average.
    while (smallEnd > 0) chances[waiting[--smallEnd] ?? 0] = 1;
    while (largeStart < waiting.length) chances[waiting[largeStart++] ?? 0] = 1;
  }

  /** The index for `chance`, which is from 0 to below 1. */
  draw(chance: number): number {
    const scaled = chance * this.#chances.length;
    const index = Math.floor(scaled);
    return scaled - index < (this.#chances[index] ?? 0) ? index : (this.#aliases[index] ?? 0);
  }
}
