/**
 * A doorkeeper filter: tells whether a number was seen before, with four bytes per number. A cache that admits an entry
 * on its second use is not flushed by entries that never come again.
 */
export class DoorkeeperFilter {
  readonly #slots: Int32Array;
  readonly #shift: number;

  /** Holds at most 2 ** bits numbers. Two numbers with the same slot replace each other. */
  constructor(bits: number) {
    this.#slots = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /** Adds a positive integer. True if it was there already; false if it is new, or was replaced since. */
  testAndAdd(number: number): boolean {
    // The multiplication spreads neighboring and evenly spaced numbers over the slots.
    const slot = Math.imul(number, 0x9e3779b1) >>> this.#shift;
    const low = number | 0;
    if (this.#slots[slot] === low) return true;
    this.#slots[slot] = low;
    return false;
  }
}
