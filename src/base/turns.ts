/**
 * Lets a few pieces of work run at once, and a few more wait for their turn in order of arrival.
 * For work that is dear in memory or processor time, so that a flood of it is refused instead of taking the machine.
 */
export class Turns {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ runningMax, waitingMax }: { runningMax: number; waitingMax: number }) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Does the work in its turn; "full", and the work is not begun, when as many wait already as may. */
  async run<Value>(work: () => Promise<Value>): Promise<{ kind: "done"; value: Value } | { kind: "full" }> {
    if (this.#running >= this.#runningMax) {
      if (this.#waiting.length >= this.#waitingMax) return { kind: "full" };
      // Whoever ends passes its turn on, so #running counts this one already when it wakes.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return { kind: "done", value: await work() };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
