/**
 * A set of characters of Latin-1, to tell texts so short by that calling a regular expression takes longer than it runs.
 */
export class Characters {
  readonly #isMember: Uint8Array;

  /** Those that the pattern matches when they stand alone. */
  constructor(pattern: RegExp) {
    this.#isMember = Uint8Array.from({ length: 256 }, (_, code) => Number(pattern.test(String.fromCharCode(code))));
  }

  /** Where the first character stands, from `start` on and before `end`, that is not in the set; `end` when all are. */
  endIn(text: string, start: number, end: number): number {
    let at = start;
    while (at < end && this.#isMember[text.charCodeAt(at)] === 1) at++;
    return at;
  }

  /** Whether a text, from `start` on, has no others. */
  fill(text: string, start = 0): boolean {
    return this.endIn(text, start, text.length) === text.length;
  }
}
