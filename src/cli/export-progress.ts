import { secondMs } from "../base/time.ts";

/** How often a line is shown on a terminal, where it replaces the one before, and elsewhere. */
const terminalEveryMs = 500;
const otherwiseEveryMs = 10 * secondMs;

const newline = 0x0a;
const quote = 0x22;

/** Shows on standard error how far an export is: clicks, bytes, and clicks a second. */
export class ExportProgress {
  readonly #total: number;
  /** What a line is in the file; in Parquet clicks cannot be counted before it is whole. */
  readonly #lines: "clicks" | "records" | "none";
  readonly #startedAt = performance.now();
  readonly #isTerminal = process.stderr.isTTY;
  #shownAt = performance.now();
  #bytes = 0;
  #ends = 0;
  #isQuoted = false;

  /** `total` clicks are to come, in this format. */
  constructor(total: number, format: string) {
    this.#total = total;
    this.#lines = format === "jsonl" ? "clicks" : format === "csv" ? "records" : "none";
  }

  /** Notes bytes that have been written; shows it when it is time to. */
  advance(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#count(bytes);
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? terminalEveryMs : otherwiseEveryMs)) return;
    this.#shownAt = now;
    this.#show(this.#lines === "none" ? undefined : this.clicks, "");
  }

  /** Clicks that have been written so far. */
  get clicks(): number {
    // The first record of CSV has the names.
    return this.#lines === "records" ? Math.max(0, this.#ends - 1) : this.#ends;
  }

  /** Says that all is in the file of that name. */
  end(out: string): void {
    this.#show(this.#total, ` in ${out}\n`);
  }

  #count(bytes: Uint8Array): void {
    if (this.#lines === "none") return;
    for (const byte of bytes) {
      // A line may end within quotes, and a quote in a cell is two, which leaves it as it is.
      if (byte === quote && this.#lines === "records") this.#isQuoted = !this.#isQuoted;
      else if (byte === newline && !this.#isQuoted) this.#ends++;
    }
  }

  #show(clicks: number | undefined, end: string): void {
    const seconds = (performance.now() - this.#startedAt) / secondMs;
    const megabytes = `${(this.#bytes / 1e6).toFixed(1)} MB`;
    const text =
      clicks === undefined
        ? `${megabytes} of ${this.#total.toLocaleString("en")} clicks`
        : `${clicks.toLocaleString("en")} of ${this.#total.toLocaleString("en")} clicks, ${megabytes}, ` +
          `${Math.round(clicks / seconds).toLocaleString("en")} clicks/s`;
    const isLast = end !== "";
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}${end}` : `${text}${isLast ? end : "\n"}`);
  }
}
