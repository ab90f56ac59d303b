import type { DuckDBConnection } from "@duckdb/node-api";

/** The time between two interrupts. DuckDB ignores an interrupt before the query has begun. */
const interruptEveryMs = 20;

/** Runs the queries of a connection. If `signal` is aborted, throws as soon as DuckDB has stopped. */
export async function untilAborted<Result>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  query: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  let interrupting: Timer | undefined;
  const interrupt = () => {
    connection.interrupt();
    interrupting = setInterval(() => connection.interrupt(), interruptEveryMs);
  };
  signal.addEventListener("abort", interrupt);
  try {
    return await query();
  } finally {
    signal.removeEventListener("abort", interrupt);
    clearInterval(interrupting);
  }
}

/** The running tasks, which can be aborted together. */
export class AbortableTasks {
  readonly #controllers = new Set<AbortController>();

  /** Runs work with a signal that is aborted by abortAll, and after `timeMaxMs`. */
  async run<Result>(work: (signal: AbortSignal) => Promise<Result>, timeMaxMs?: number): Promise<Result> {
    const controller = new AbortController();
    const onTimeout = () => controller.abort(new Error("The query took too long."));
    const timer = timeMaxMs === undefined ? undefined : setTimeout(onTimeout, timeMaxMs);
    this.#controllers.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      clearTimeout(timer);
      this.#controllers.delete(controller);
    }
  }

  /** Aborts every running task. */
  abortAll(reason: string): void {
    for (const controller of this.#controllers) controller.abort(new Error(reason));
  }
}
