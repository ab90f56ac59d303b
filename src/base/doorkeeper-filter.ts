/**
 * Remembers numbers only to tell that they come again: four bytes each, so far more of them than a cache could hold. A
 * cache that takes in what comes the second time is not emptied by what never comes twice.
 */
export class DoorkeeperFilter {
  readonly #slots: Int32Array;
  readonly #shift: number;

  /** Remembers at most 2 ** bits numbers; two that share a slot push each other out. */
  constructor(bits: number) {
    this.#slots = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /** Notes a positive integer, and answers whether it was noted before; late enough after that it has been forgotten. */
  testAndAdd(number: number): boolean {
    // Multiplied, so that neighbours, and numbers at the same distance from one another, do not meet in a slot.
    const slot = Math.imul(number, 0x9e3779b1) >>> this.#shift;
    const low = number | 0;
    if (this.#slots[slot] === low) return true;
    this.#slots[slot] = low;
    return false;
  }
}
