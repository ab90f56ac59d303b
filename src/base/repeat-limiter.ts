/** How many equal lines a window allows; further ones are counted. */
const writtenMax = 5;
const windowMs = 10_000;
/** How many different lines are tracked; further ones are always allowed. */
const linesMax = 200;

type Window = { written: number; suppressed: number };

/** Runs a function after a delay, without keeping the process alive. */
type Schedule = (run: () => void, ms: number) => void;

const unrefTimeout: Schedule = (run, ms) => void setTimeout(run, ms).unref();

/** Limits repeated log lines, so that a flood of failures does not fill the disk. */
export class RepeatLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #schedule: Schedule;

  constructor(schedule: Schedule = unrefTimeout) {
    this.#schedule = schedule;
  }

  /** Whether a line may be written; `tell` is told after the window how many equal ones were not, if any. */
  allows(text: string, onSuppressed: (suppressed: number, seconds: number) => void): boolean {
    const known = this.#windows.get(text);
    if (known !== undefined && known.written >= writtenMax) {
      known.suppressed++;
      return false;
    }
    if (known !== undefined) {
      known.written++;
      return true;
    }
    if (this.#windows.size >= linesMax) return true;
    const window = { written: 1, suppressed: 0 };
    this.#windows.set(text, window);
    this.#schedule(() => {
      this.#windows.delete(text);
      if (window.suppressed > 0) onSuppressed(window.suppressed, windowMs / 1_000);
    }, windowMs);
    return true;
  }
}
