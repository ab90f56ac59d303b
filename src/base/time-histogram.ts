/** The state of a histogram: counts by bucket, the total count and the sum in seconds. */
export type HistogramCounts = { buckets: number[]; count: number; sum: number };

/**
 * A histogram of durations in Prometheus' text format, for hot paths: an observation is about one comparison and three
 * additions.
 */
export class TimeHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** `bounds` are the upper bounds of the buckets in seconds, ascending. */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  /** Counts one duration. */
  observe(seconds: number): void {
    this.#sum += seconds;
    this.#count++;
    for (let index = 0; index < this.#bounds.length; index++) {
      if (seconds <= (this.#bounds[index] ?? 0)) {
        this.#counts[index] = (this.#counts[index] ?? 0) + 1;
        return;
      }
    }
  }

  /** Returns a copy of the state. */
  counts(): HistogramCounts {
    return { buckets: [...this.#counts], count: this.#count, sum: this.#sum };
  }

  /**
   * Returns the metric's text: cumulative buckets, sum and count; `others` are the histograms of other processes, by
   * label.
   */
  text(others: readonly { label: string; times: HistogramCounts }[] = []): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} histogram`];
    lines.push(...this.#series("", this.counts()));
    for (const { label, times } of others) lines.push(...this.#series(label, times));
    return `${lines.join("\n")}\n`;
  }

  #series(label: string, { buckets, count, sum }: HistogramCounts): string[] {
    const before = label === "" ? "" : `${label},`;
    const alone = label === "" ? "" : `{${label}}`;
    let cumulative = 0;
    const lines = this.#bounds.map((bound, index) => {
      cumulative += buckets[index] ?? 0;
      return `${this.#name}_bucket{${before}le="${bound}"} ${cumulative}`;
    });
    lines.push(`${this.#name}_bucket{${before}le="+Inf"} ${count}`);
    lines.push(`${this.#name}_sum${alone} ${sum}`, `${this.#name}_count${alone} ${count}`);
    return lines;
  }
}
