/** Why work was not run: the queue or the party's share of it is full, or the signal aborted. */
export type NotRun = { kind: "full" } | { kind: "partyFull" } | { kind: "aborted" };

/** The party that the work counts for, and a signal that ends the wait, such as a request's. */
export type RunOptions = { party?: string; signal?: AbortSignal | undefined };

type Waiter = { party: string | undefined; begin(): void };

/**
 * A semaphore with a bounded first-in, first-out queue, for work that needs much memory or processor time: a flood is
 * rejected instead of overloading the machine.
 */
export class Semaphore {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waitingPerPartyMax: number;
  readonly #waiting: Waiter[] = [];
  #running = 0;

  constructor({
    runningMax,
    waitingMax,
    waitingPerPartyMax = waitingMax,
  }: {
    runningMax: number;
    waitingMax: number;
    /** How many waiting places one party may take. */
    waitingPerPartyMax?: number;
  }) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
    this.#waitingPerPartyMax = waitingPerPartyMax;
  }

  /** The number of running and of waiting pieces of work. */
  get load(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length };
  }

  /** Runs the work in its turn, or returns why it was not run. Running work is not stopped by the signal. */
  async run<Value>(
    work: () => Promise<Value>,
    { party, signal }: RunOptions = {},
  ): Promise<{ kind: "done"; value: Value } | NotRun> {
    if (signal?.aborted) return { kind: "aborted" };
    if (this.#running >= this.#runningMax) {
      if (party !== undefined && this.#waitingOf(party) >= this.#waitingPerPartyMax) return { kind: "partyFull" };
      if (this.#waiting.length >= this.#waitingMax) return { kind: "full" };
      if (!(await this.#turn(party, signal))) return { kind: "aborted" };
    } else {
      this.#running++;
    }
    try {
      return { kind: "done", value: await work() };
    } finally {
      // The next waiter takes over this place, so #running stays the same.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next.begin();
    }
  }

  #waitingOf(party: string): number {
    return this.#waiting.filter((waiter) => waiter.party === party).length;
  }

  /**
   * Resolves with true when it is the caller's turn; with false, and removed from the queue, when the signal aborts
   * first.
   */
  async #turn(party: string | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { party, begin: () => resolve(true) };
    const leave = () => {
      const index = this.#waiting.indexOf(waiter);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      resolve(false);
    };
    this.#waiting.push(waiter);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}
