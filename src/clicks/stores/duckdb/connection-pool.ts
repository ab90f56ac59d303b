import type { DuckDBConnection } from "@duckdb/node-api";

/** Connections that questions are asked on: one for each lane of the questions, and one for live events. */
export const readersMax = 3;

type Claim = { needed: number; begin(slots: readonly number[]): void };

/**
 * Hands out the connections for questions, one question each, since an interruption ends what its connection is at.
 * First come, first served, so that what needs all of them is not passed by forever.
 * Bound: the callers; the pipeline lets only a few questions run.
 */
export class ConnectionPool {
  readonly #free = Array.from({ length: readersMax }, (_, slot) => slot);
  readonly #waiting: Claim[] = [];
  readonly #connections: () => readonly DuckDBConnection[];

  /** Hands out what `connections` answers when it is a question's turn: an engine is replaced by a rewrite. */
  constructor(connections: () => readonly DuckDBConnection[]) {
    this.#connections = connections;
  }

  /** Runs one question on a free connection. */
  async useOne<Result>(work: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    return await this.#use(1, ([slot]) => {
      const connection = slot === undefined ? undefined : this.#connections()[slot];
      if (connection === undefined) throw new Error(`The engine has no connection ${slot}.`);
      return work(connection);
    });
  }

  /** Runs work while no question is asked. */
  async useAll<Result>(work: () => Promise<Result>): Promise<Result> {
    return await this.#use(readersMax, work);
  }

  async #use<Result>(needed: number, work: (slots: readonly number[]) => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<readonly number[]>();
    this.#waiting.push({ needed, begin: resolve });
    this.#handOut();
    const slots = await promise;
    try {
      return await work(slots);
    } finally {
      this.#free.push(...slots);
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
