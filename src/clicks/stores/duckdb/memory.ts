import type { DuckDBConnection } from "@duckdb/node-api";
import { minuteMs } from "../../../base/time.ts";

/**
 * Beyond this DuckDB spills to the folder beside the file. The process takes up to 100 MiB more: the runtime, and what
 * DuckDB does not count, such as the visitors it tells apart (visitor-parts.ts). With 256 MB, exports of ten million
 * clicks beside reports took 574 MiB in both processes; with 160 MB, too little was left for the reports.
 */
export const usualMemoryMax = "184MB";
/**
 * What DuckDB keeps of the file's blocks and all else when nobody has asked for a while, as it writes sizes. Left alone it
 * keeps all that it has read or written, up to its limit: 190 MB of ten million clicks, which the system's own cache of
 * files may have as well, and gives to whoever needs the room.
 */
export const idleMemory = "64MB";
/** For how long nobody asks before; twice as long at most. */
export const usualIdleMs = minuteMs / 2;

/**
 * Has DuckDB give back what it keeps beyond `kept`. Its limit is that for a moment: whatever needs more just then is refused.
 * Throws when it could not give back all of that, since something else holds more; its limit is the old one then.
 */
export async function releaseMemory(connection: DuckDBConnection, kept: string, memoryMax: string): Promise<void> {
  await connection.run(`SET memory_limit = '${kept}'; SET memory_limit = '${memoryMax}'`);
}

/** Tells when nobody has asked for a while, each time that something was done since the last. */
export class IdleTimer {
  readonly #timer: Timer;
  readonly #onIdle: () => Promise<void>;
  #hasAnswered = false;
  #runningQueries = 0;
  #hasWorked = true;

  /** Calls `rest` after `idleMs` to twice as long without a question. It throws when it is to be called again later. */
  constructor(idleMs: number, onIdle: () => Promise<void>) {
    this.#onIdle = onIdle;
    this.#timer = setInterval(() => this.#check(), idleMs);
    this.#timer.unref();
  }

  /** Whether somebody waits for an answer. */
  get isAnswering(): boolean {
    return this.#runningQueries > 0;
  }

  /** Changes or reads something, which nobody waits for. */
  async duringWork<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#hasWorked = true;
    }
  }

  /** Answers somebody, who may ask more. */
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

  /** Begins no more calls. */
  end(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const isIdle = this.#hasWorked && !this.#hasAnswered && !this.isAnswering;
    this.#hasAnswered = false;
    if (!isIdle) return;
    this.#hasWorked = false;
    this.#onIdle().catch(() => {
      // Whatever is wrong with the store, who works with it hears of it; here it is only no good moment.
      this.#hasWorked = true;
    });
  }
}
