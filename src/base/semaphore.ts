/** Why work was not run: the queue or the party's share of it is full, or the signal aborted. */
export type NotRun = { kind: "full" } | { kind: "partyFull" } | { kind: "aborted" };

/** The party that the work counts for, and a signal that ends the wait, such as a request's. */
export type RunOptions = { party?: string; signal?: AbortSignal | undefined };

type Waiter = { party: string | undefined; begin(): void };

/**
 * A semaphore with a bounded queue, first in, first out unless parties take turns, for work that needs much memory or
 * processor time: a flood is rejected instead of overloading the machine.
 */
export class Semaphore {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waitingPerPartyMax: number;
  readonly #runningPerPartyMax: number;
  readonly #takesTurns: boolean;
  readonly #waiting: Waiter[] = [];
  /** When each waiting party last began, as the number of the turn. */
  readonly #turns = new Map<string | undefined, number>();
  #turnsBegun = 0;
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor({
    runningMax,
    waitingMax,
    waitingPerPartyMax = waitingMax,
    runningPerPartyMax = runningMax,
    takesTurns = false,
  }: {
    runningMax: number;
    waitingMax: number;
    /** How many waiting places one party may take. */
    waitingPerPartyMax?: number;
    /** How much work of one party runs at once. Other parties overtake its waiting work. */
    runningPerPartyMax?: number;
    /** Whether the party whose last turn was longest ago is next, instead of the first in the queue. */
    takesTurns?: boolean;
  }) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
    this.#waitingPerPartyMax = waitingPerPartyMax;
    this.#runningPerPartyMax = runningPerPartyMax;
    this.#takesTurns = takesTurns;
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
    if (this.#mayBegin(party)) {
      this.#began(party);
    } else {
      if (party !== undefined && this.#waitingOf(party) >= this.#waitingPerPartyMax) return { kind: "partyFull" };
      if (this.#waiting.length >= this.#waitingMax) return { kind: "full" };
      if (!(await this.#awaitTurn(party, signal))) return { kind: "aborted" };
    }
    try {
      return { kind: "done", value: await work() };
    } finally {
      this.#ended(party);
      this.#beginNext();
    }
  }

  #mayBegin(party: string | undefined): boolean {
    if (this.#running >= this.#runningMax) return false;
    return party === undefined || (this.#runningOf.get(party) ?? 0) < this.#runningPerPartyMax;
  }

  #began(party: string | undefined): void {
    this.#running++;
    if (party !== undefined) this.#runningOf.set(party, (this.#runningOf.get(party) ?? 0) + 1);
  }

  #ended(party: string | undefined): void {
    this.#running--;
    if (party === undefined) return;
    const running = (this.#runningOf.get(party) ?? 0) - 1;
    if (running > 0) this.#runningOf.set(party, running);
    else this.#runningOf.delete(party);
  }

  /** Begins the first waiter that may begin: one at most, since one place and one party have become free. */
  #beginNext(): void {
    const mayBegin = this.#waiting.filter(({ party }) => this.#mayBegin(party));
    const next = this.#takesTurns ? this.#longestWithoutTurn(mayBegin) : mayBegin[0];
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    // Before it continues, so that no other work takes its place.
    this.#began(next.party);
    next.begin();
  }

  #longestWithoutTurn(waiters: readonly Waiter[]): Waiter | undefined {
    const parties = new Set(this.#waiting.map(({ party }) => party));
    for (const party of this.#turns.keys()) if (!parties.has(party)) this.#turns.delete(party);
    const turnOf = ({ party }: Waiter) => this.#turns.get(party) ?? 0;
    const [first, ...others] = waiters;
    const next = others.reduce((best, other) => (best && turnOf(best) <= turnOf(other) ? best : other), first);
    if (next !== undefined) this.#turns.set(next.party, ++this.#turnsBegun);
    return next;
  }

  #waitingOf(party: string): number {
    return this.#waiting.filter((waiter) => waiter.party === party).length;
  }

  /**
   * Resolves with true when it is the caller's turn; with false, and removed from the queue, when the signal aborts
   * first.
   */
  async #awaitTurn(party: string | undefined, signal: AbortSignal | undefined): Promise<boolean> {
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
