/**
 * A random generator with a seed (sfc32): the same seed gives the same numbers. Fast enough for a dozen numbers per
 * click, and unfit for secrets.
 */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** The seed is a whole number; beyond 32 bits, its lower and upper halves both count. */
  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    this.#c = 0x9e3779b9 | 0;
    // Adjacent seeds give similar first numbers, which are skipped.
    for (let round = 0; round < 16; round++) this.word();
  }

  /** A whole number of 32 bits, from 0. */
  word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 to below 1, one of 2^32 values. */
  next(): number {
    return this.word() / 2 ** 32;
  }

  /** From 0 to below 1, one of 2^53 values: for choosing among millions. */
  fine(): number {
    return ((this.word() >>> 5) * 2 ** 26 + (this.word() >>> 6)) / 2 ** 53;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** One of the values with equal chances. Throws for an empty list. */
  one<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("There is nothing to draw from.");
    return value;
  }
}

/** Mixes the bits of a whole number into a signed 32-bit number, deterministically. */
export function mixBits(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
