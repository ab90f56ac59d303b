import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { CallFailure } from "../base/calls.ts";
import { Problem } from "../base/problem.ts";
import { Thread } from "../base/thread.ts";
import { secondMs } from "../base/time.ts";

/**
 * Runs reading queries in a thread with its own connection: SQLite works in the calling thread, and sorting a million
 * links would block every visitor for that time.
 *
 * 1. A query sees everything that was committed when it was sent, so that callers read what they wrote.
 * 2. Each query sees the file at its own moment; several queries are no transaction.
 */

/** Timeout of one query, including those before it. */
const callTimeMaxMs = 30 * secondMs;

/** A query as it is sent to the thread. */
export type ReadingQuery = { sql: string; parameters: readonly unknown[] };

/** TABLE of the calls to the reading thread. */
export type ReadingVerbs = {
  start: { argument: { path: string }; result: undefined };
  read: { argument: ReadingQuery; result: unknown[] };
  close: { argument: undefined; result: undefined };
};

/** The Kysely dialect over a thread that reads the SQLite file at `path`; the first query starts the thread. */
export function readingDialect(path: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ReadingDriver(path),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class ReadingDriver implements Driver {
  readonly #path: string;
  #thread: Thread<ReadingVerbs> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const file = new URL("./reading-worker.ts", import.meta.url);
    this.#thread ??= new Thread<ReadingVerbs>(file, callTimeMaxMs, { path: this.#path });
    return new ReadingConnection(this.#thread);
  }

  async beginTransaction(): Promise<void> {
    throw new Error("The reading thread has no transactions; write, and read what is to be written, through db.");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    try {
      await thread.call("close", undefined);
    } finally {
      thread.terminate();
    }
  }
}

class ReadingConnection implements DatabaseConnection {
  readonly #thread: Thread<ReadingVerbs>;

  constructor(thread: Thread<ReadingVerbs>) {
    this.#thread = thread;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      // Kysely derives the types of rows from the query.
      return { rows: (await this.#thread.call("read", { sql, parameters })) as Row[] };
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      throw new Problem("unavailable", "The database cannot answer this at the moment; try again.", { cause: error });
    }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("Nothing streams from the reading thread: rows come all at once.");
  }
}
