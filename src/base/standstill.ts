/**
 * Lets pieces of work run beside each other, and now and then one of them alone: it begins when those under way have
 * ended, and those that come meanwhile wait for its end. In the order of arrival but for that.
 * Bound: the callers, of which each waits for its work before it brings more.
 */
export class Standstill {
  #beside = 0;
  /** Resolves when the work that runs alone, or waits to, has ended. */
  #alone: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  /** Does the work beside other work. */
  async beside<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#alone !== undefined) await this.#alone;
    this.#beside++;
    try {
      return await work();
    } finally {
      this.#beside--;
      if (this.#beside === 0) this.#onIdle?.();
    }
  }

  /** Does the work alone. It must not ask for `beside` or `alone` itself, which would wait for its end. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#alone !== undefined) await this.#alone;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#alone = promise;
    try {
      if (this.#beside > 0) {
        await new Promise<void>((idle) => {
          this.#onIdle = idle;
        });
      }
      return await work();
    } finally {
      this.#onIdle = undefined;
      this.#alone = undefined;
      resolve();
    }
  }
}
