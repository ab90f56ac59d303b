/**
 * A read-write lock: many shared holders, or one exclusive holder. An exclusive holder waits for the current shared
 * ones, and callers that arrive later wait for it.
 * Bound: the number of callers, because each caller waits for its work.
 */
export class ReadWriteLock {
  #shared = 0;
  /** Resolves when the exclusive holder, running or waiting, has finished. */
  #exclusive: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  /** Runs the work together with other shared work. */
  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#exclusive !== undefined) await this.#exclusive;
    this.#shared++;
    try {
      return await work();
    } finally {
      this.#shared--;
      if (this.#shared === 0) this.#onIdle?.();
    }
  }

  /** Runs the work alone. The work must not use this lock, which would be a deadlock. */
  async exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#exclusive !== undefined) await this.#exclusive;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exclusive = promise;
    try {
      if (this.#shared > 0) {
        await new Promise<void>((idle) => {
          this.#onIdle = idle;
        });
      }
      return await work();
    } finally {
      this.#onIdle = undefined;
      this.#exclusive = undefined;
      resolve();
    }
  }
}
