import type { DuckDBConnection } from "@duckdb/node-api";
import { minuteMs } from "../../../base/time.ts";

/**
 * DuckDB's memory limit, beyond which it spills to a folder beside the file. The process takes up to 100 MiB more: the
 * runtime, and memory that DuckDB does not count, such as visitors (visitor-partitions.ts). With 256 MB, exports of ten
 * million clicks during reports took 574 MiB in both processes; with 160 MB, reports had too little.
 */
export const usualMemoryMax = "184MB";
/**
 * DuckDB's memory limit for a moment when the store is idle. Otherwise DuckDB keeps every block that it has read or
 * written: 190 MB for ten million clicks, which the operating system's page cache may hold too, and can release.
 */
export const idleMemory = "64MB";
/** The store is idle after this time without a query, or at most twice this time. */
export const usualIdleMs = minuteMs / 2;

/**
 * Makes DuckDB release what it holds beyond `memoryMin`, by lowering its limit for a moment. Work that needs more in
 * that moment fails. Throws when other work holds more; the old limit stays then.
 */
export async function releaseMemory(connection: DuckDBConnection, memoryMin: string, memoryMax: string): Promise<void> {
  await connection.run(`SET memory_limit = '${memoryMin}'; SET memory_limit = '${memoryMax}'`);
}

/** Calls a function when no query has run for a while, once after each period with work. */
export class IdleTimer {
  readonly #timer: Timer;
  readonly #onIdle: () => Promise<void>;
  #hasAnswered = false;
  #runningQueries = 0;
  #hasWorked = true;

  /** Calls `onIdle` after idleMs without a query, or at most twice that. It is called again later if it throws. */
  constructor(idleMs: number, onIdle: () => Promise<void>) {
    this.#onIdle = onIdle;
    this.#timer = setInterval(() => this.#check(), idleMs);
    this.#timer.unref();
  }

  /** True while a query runs. */
  get isAnswering(): boolean {
    return this.#runningQueries > 0;
  }

  /** Runs work that is not a query, such as an insert. */
  async duringWork<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#hasWorked = true;
    }
  }

  /** Runs a query. More queries are likely to follow. */
  async duringQuery<Result>(answer: () => Promise<Result>): Promise<Result> {
    this.#runningQueries++;
    try {
      return await answer();
    } finally {
      this.#runningQueries--;
      this.#hasAnswered = true;
      this.#hasWorked = true;
    }
  }

  /** Stops the timer. */
  end(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const isIdle = this.#hasWorked && !this.#hasAnswered && !this.isAnswering;
    this.#hasAnswered = false;
    if (!isIdle) return;
    this.#hasWorked = false;
    this.#onIdle().catch(() => {
      // A store with a real problem fails its callers too; here it only means that the moment was wrong.
      this.#hasWorked = true;
    });
  }
}
