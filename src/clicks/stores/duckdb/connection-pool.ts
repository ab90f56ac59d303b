import type { DuckDBConnection } from "@duckdb/node-api";

/** The connections for queries: one for each lane of queries, and one for live events. */
export const readersMax = 3;

type Claim = { needed: number; begin(indexes: readonly number[]): void };

/**
 * Hands out the connections for queries. A connection runs one query at a time, because an interrupt ends whatever the
 * connection runs. First come, first served, so that work that needs all connections is not overtaken forever.
 * Bound: the callers; the pipeline runs only a few queries at a time.
 */
export class ConnectionPool {
  readonly #free = Array.from({ length: readersMax }, (_, index) => index);
  readonly #waiting: Claim[] = [];
  readonly #connections: () => readonly DuckDBConnection[];

  /** Calls `connections` when it is a query's turn, because a vacuum replaces the engine. */
  constructor(connections: () => readonly DuckDBConnection[]) {
    this.#connections = connections;
  }

  /** Runs one query on a free connection. */
  async useOne<Result>(work: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    return await this.#use(1, ([index]) => {
      const connection = index === undefined ? undefined : this.#connections()[index];
      if (connection === undefined) throw new Error(`The engine has no connection ${index}.`);
      return work(connection);
    });
  }

  /** Runs work while no query runs. */
  async useAll<Result>(work: () => Promise<Result>): Promise<Result> {
    return await this.#use(readersMax, work);
  }

  async #use<Result>(needed: number, work: (indexes: readonly number[]) => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<readonly number[]>();
    this.#waiting.push({ needed, begin: resolve });
    this.#handOut();
    const indexes = await promise;
    try {
      return await work(indexes);
    } finally {
      this.#free.push(...indexes);
      this.#handOut();
    }
  }

  #handOut(): void {
    for (let next = this.#waiting[0]; next !== undefined && next.needed <= this.#free.length; next = this.#waiting[0]) {
      this.#waiting.shift();
      next.begin(this.#free.splice(0, next.needed));
    }
  }
}
