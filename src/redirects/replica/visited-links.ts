/** A link as a lookup names it. */
export type LinkName = readonly [domainId: string, foldedKey: string];

/** Bounds the names, and with them the work of a second in which only uncopied links are visited. */
const namesMax = 10_000;

/** A bounded set of links that were visited and that a partial replica lacks. */
export class VisitedLinks {
  readonly #names = new Map<string, LinkName>();

  get size(): number {
    return this.#names.size;
  }

  /** Ignores the link when there are too many: its next visit adds it again. */
  add(domainId: string, foldedKey: string): void {
    if (this.#names.size < namesMax) this.#names.set(`${domainId}/${foldedKey}`, [domainId, foldedKey]);
  }

  /** Removes up to `count` links, the oldest first, and returns them. */
  take(count = namesMax): LinkName[] {
    const taken = [...this.#names].slice(0, count);
    for (const [name] of taken) this.#names.delete(name);
    return taken.map(([, link]) => link);
  }
}
