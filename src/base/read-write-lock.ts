/**
 * Lets pieces of work run beside each other, and now and then one of them alone: it begins when those under way have
 * ended, and those that come meanwhile wait for its end. In the order of arrival but for that.
 * Bound: the callers, of which each waits for its work before it brings more.
 */
export class ReadWriteLock {
  #shared = 0;
  /** Resolves when the work that runs alone, or waits to, has ended. */
  #exclusive: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  /** Does the work beside other work. */
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

  /** Does the work alone. It must not ask for `beside` or `alone` itself, which would wait for its end. */
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
