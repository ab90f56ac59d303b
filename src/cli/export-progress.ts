import { secondMs } from "../base/time.ts";

/** How often a line is printed: on a terminal, where it replaces the previous one, and elsewhere. */
const terminalEveryMs = 500;
const otherwiseEveryMs = 10 * secondMs;

const newline = 0x0a;
const quote = 0x22;

/** Prints the progress of an export to standard error: clicks, bytes, and clicks per second. */
export class ExportProgress {
  readonly #total: number;
  /** What one line of the file is. The clicks of an incomplete Parquet file cannot be counted. */
  readonly #lines: "clicks" | "records" | "none";
  readonly #startedAt = performance.now();
  readonly #isTerminal = process.stderr.isTTY;
  #shownAt = performance.now();
  #bytes = 0;
  #ends = 0;
  #isQuoted = false;

  /** `total` is the expected number of clicks. */
  constructor(total: number, format: string) {
    this.#total = total;
    this.#lines = format === "jsonl" ? "clicks" : format === "csv" ? "records" : "none";
  }

  /** Adds written bytes, and prints a line when it is due. */
  advance(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#count(bytes);
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? terminalEveryMs : otherwiseEveryMs)) return;
    this.#shownAt = now;
    this.#show(this.#lines === "none" ? undefined : this.clicks, "");
  }

  /** The number of clicks written so far. */
  get clicks(): number {
    // The first record of CSV is the header.
    return this.#lines === "records" ? Math.max(0, this.#ends - 1) : this.#ends;
  }

  /** Prints the last line, with the name of the file. */
  end(out: string): void {
    this.#show(this.#total, ` in ${out}\n`);
  }

  #count(bytes: Uint8Array): void {
    if (this.#lines === "none") return;
    for (const byte of bytes) {
      // A cell in quotes may contain line breaks. A quote in a cell is doubled, which toggles the flag twice.
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
