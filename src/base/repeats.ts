/** Equal lines that are written in one window; further ones are counted. */
const writtenMax = 5;
const windowMs = 10_000;
/** Different lines of a window that are told apart; further ones are written. */
const linesMax = 200;

type Window = { written: number; suppressed: number };

/** Runs a function after some milliseconds; the process does not wait for it. */
export type Later = (run: () => void, ms: number) => void;

const unwatched: Later = (run, ms) => void setTimeout(run, ms).unref();

/** Limits lines that say the same again and again, so that a flood of failures fills no disk. */
export class Repeats {
  readonly #windows = new Map<string, Window>();
  readonly #later: Later;

  constructor(later: Later = unwatched) {
    this.#later = later;
  }

  /** Whether a line may be written; `tell` is told after the window how many equal ones were not, if any. */
  admits(text: string, tell: (suppressed: number, seconds: number) => void): boolean {
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
    this.#later(() => {
      this.#windows.delete(text);
      if (window.suppressed > 0) tell(window.suppressed, windowMs / 1_000);
    }, windowMs);
    return true;
  }
}
