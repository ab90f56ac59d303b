/** A limit that is over when no progress was reported for `maxMs`. `late` makes the error. */
export class TimeLimit {
  readonly #maxMs: number;
  readonly #over = Promise.withResolvers<never>();
  readonly #late: () => Error;
  #timer: Timer | undefined;

  constructor(maxMs: number, late: () => Error) {
    this.#maxMs = maxMs;
    this.#late = late;
    // Nothing may wait for the promise at that moment.
    this.#over.promise.catch(() => {});
  }

  /** Begins the time again. */
  progress(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#over.reject(this.#late()), this.#maxMs);
  }

  /**
   * Resolves and rejects like `work`, but rejects with the error of the limit once it is over. The work then goes on
   * until the process ends, and its later failure is ignored.
   */
  async apply<Result>(work: Promise<Result>): Promise<Result> {
    this.progress();
    work.catch(() => {});
    try {
      return await Promise.race([work, this.#over.promise]);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
