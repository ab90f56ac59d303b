/** Why work was not started: the queue, or the party's share of it, is full; or the caller has gone. */
export type NotRun = { kind: "full" } | { kind: "partyFull" } | { kind: "aborted" };

/** On whose behalf work waits, and what ends the wait: the signal of a request whose client may disconnect. */
export type RunOptions = { party?: string; signal?: AbortSignal | undefined };

type Waiter = { party: string | undefined; begin(): void };

/**
 * A semaphore with a bounded first-in, first-out queue: a few pieces of work run at once, and a few more wait.
 * For work that costs much memory or processor time, so that a flood of it is refused and does not take the machine.
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
    /** How many places of the queue one party may hold. */
    waitingPerPartyMax?: number;
  }) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
    this.#waitingPerPartyMax = waitingPerPartyMax;
  }

  /** Does the work in its turn, or returns why it was not started. Work that has started is not stopped. */
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
      // The turn is passed on, so #running counts the next one already.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next.begin();
    }
  }

  #waitingOf(party: string): number {
    return this.#waiting.filter((waiter) => waiter.party === party).length;
  }

  /** True when it is this caller's turn; false when the signal aborted first, which leaves the place in the queue. */
  async #turn(party: string | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { party, begin: () => resolve(true) };
    const leave = () => {
      const place = this.#waiting.indexOf(waiter);
      if (place === -1) return;
      this.#waiting.splice(place, 1);
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
