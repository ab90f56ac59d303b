/** What a soak test has seen: counts by name, and violated invariants. */
export class SoakRecord {
  readonly #counts = new Map<string, number>();
  readonly #violations: string[] = [];
  readonly #startedAt = performance.now();
  readonly #log: (line: string) => void;
  #violationsTotal = 0;
  #step = "before the first step";

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Adds to a count. */
  count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** The counts, by name. */
  rows(): [string, number][] {
    return [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** Records and logs a violated invariant. Only the first `violationsKept` keep their text. */
  violate(invariant: string, found: unknown): void {
    this.#violationsTotal++;
    if (this.#violations.length === violationsKept) return;
    const text = `${invariant}: ${(typeof found === "string" ? found : (JSON.stringify(found) ?? "undefined")).slice(0, textMax)}`;
    const when = `at ${this.elapsed()}, ${this.#step}`;
    this.#violations.push(`${when}: ${text}`);
    this.#log(`VIOLATION ${when}: ${text}`);
  }

  /** Records a violation unless the values are equal. */
  requireEqual(invariant: string, found: unknown, expected: unknown): void {
    if (!Bun.deepEquals(found, expected)) this.violate(invariant, { found, expected });
  }

  get violations(): readonly string[] {
    return this.#violations;
  }

  get violationsTotal(): number {
    return this.#violationsTotal;
  }

  /** Notes a step of the plan, which later violations name. */
  begin(step: string): void {
    this.#step = step;
    this.note(step);
  }

  /** Logs a line of progress. */
  note(line: string): void {
    this.#log(`${this.elapsed()} ${line}`);
  }

  /** The time since the start, such as 3:05. */
  elapsed(): string {
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1_000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}

const violationsKept = 50;
const textMax = 1_500;
