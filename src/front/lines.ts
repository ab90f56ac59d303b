/**
 * Lines: the visitors of each domain wait in a line of their own, so that a flood on one does not delay the others.
 *
 * 1. Of each domain, at most atOnceMax answers are in the making; who comes then stands in the domain's line, and is
 *    called up in the order of coming.
 * 2. An answer takes its place until the turn of the event loop has ended, even when it was made at once. So a turn is
 *    at most as long as atOnceMax answers for each domain that is being asked for, whatever the number of connections
 *    and however many requests they send ahead, and look-ups under way in a database are bounded too.
 * 3. A line is no longer than there are connections: each stands in at most one, once.
 */

/** As many as give one write of clicks to the disk its worth: with half of them a flood is answered a tenth slower. */
export const atOnceMax = 64;
/** Lines kept when nobody stands in them, so that they are not made anew with each turn. */
const restingLinesMax = 1_000;

/** Somebody who stands in a line. */
export type Waiting = {
  /** It is their turn, and they have a place; false when they have gone, and the place is free again. */
  callUp(): boolean;
};

/** The line of one domain. */
export type Line = {
  /** Whether there is a place at once; otherwise `waiting` stands in line now. */
  enter(waiting: Waiting): boolean;
  /** Gives a place back; follows once for each that was had, when its answer is made. */
  leave(): void;
};

/** The lines of a front. */
export class Lines {
  readonly #lines = new Map<string, DomainLine>();
  readonly #left: DomainLine[] = [];
  readonly #settleLater = (line: DomainLine) => {
    if (this.#left.push(line) === 1) setImmediate(this.#settle);
  };

  /** How many are kept. */
  get size(): number {
    return this.#lines.size;
  }

  /** The line by the name of a domain. */
  of(name: string): Line {
    let line = this.#lines.get(name);
    if (line === undefined) {
      if (this.#lines.size >= restingLinesMax) this.#forgetResting();
      line = new DomainLine(this.#settleLater);
      this.#lines.set(name, line);
    }
    return line;
  }

  readonly #settle = (): void => {
    for (const line of this.#left.splice(0)) line.settle();
  };

  #forgetResting(): void {
    for (const [name, line] of this.#lines) {
      if (line.isResting) this.#lines.delete(name);
    }
  }
}

class DomainLine implements Line {
  readonly #settleLater: (line: DomainLine) => void;
  #taken = 0;
  #left = 0;
  /** Who is called up next stands at #next; what lies before has been called. */
  #standing: Waiting[] = [];
  #next = 0;

  constructor(settleLater: (line: DomainLine) => void) {
    this.#settleLater = settleLater;
  }

  get isResting(): boolean {
    return this.#taken === 0;
  }

  enter(waiting: Waiting): boolean {
    if (this.#taken < atOnceMax && this.#next === this.#standing.length) {
      this.#taken++;
      return true;
    }
    this.#standing.push(waiting);
    return false;
  }

  leave(): void {
    if (this.#left++ === 0) this.#settleLater(this);
  }

  /** The turn has ended: the places given back are free, and those in line are called up. */
  settle(): void {
    this.#taken -= this.#left;
    this.#left = 0;
    // Who is called up may stand in line again, behind those who stand there now.
    const end = this.#standing.length;
    while (this.#taken < atOnceMax && this.#next < end) {
      const waiting = this.#standing[this.#next++];
      this.#taken++;
      if (!waiting?.callUp()) this.#taken--;
    }
    if (this.#next * 2 >= this.#standing.length) {
      this.#standing = this.#standing.slice(this.#next);
      this.#next = 0;
    }
  }
}
