/** A pause that another part of the program can end early, for a loop that waits for a time or an event. */
export class WakeablePause {
  #end = () => {};

  /** Resolves after `ms` milliseconds, or when `end` is called. Only one pause runs at a time. */
  begin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the current pause; does nothing without one. */
  end(): void {
    this.#end();
  }
}
