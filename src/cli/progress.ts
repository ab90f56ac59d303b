import { secondMs } from "../base/time.ts";

/** How often a line is printed: on a terminal, where it replaces the previous one, and elsewhere. */
const terminalEveryMs = 500;
const otherwiseEveryMs = 10 * secondMs;

/** Prints the progress of long work to standard error: percentage, rate and remaining time. */
export class Progress {
  readonly #what: string;
  readonly #total: number;
  readonly #startedAt = performance.now();
  readonly #isTerminal = process.stderr.isTTY;
  #shownAt = performance.now();

  /** `what` names the counted items, such as "clicks". */
  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  /** Sets the number of finished items, and prints a line when it is due. Before the first item, there is no rate. */
  advance(done: number): void {
    if (done === 0 || this.#total === 0) return;
    const now = performance.now();
    const everyMs = this.#isTerminal ? terminalEveryMs : otherwiseEveryMs;
    if (now - this.#shownAt < everyMs && (done < this.#total || !this.#isTerminal)) return;
    this.#shownAt = now;
    const perMs = done / (now - this.#startedAt);
    const secondsLeft = Math.ceil((this.#total - done) / perMs / secondMs);
    const text =
      `${Math.floor((done / this.#total) * 100)}%  ${done.toLocaleString("en")} ${this.#what}, ` +
      `${Math.round(perMs * secondMs).toLocaleString("en")} per second, ${timeText(secondsLeft)} left`;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}${done < this.#total ? "" : "\n"}` : `${text}\n`);
  }
}

function timeText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
