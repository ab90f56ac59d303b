import type { DuckDBConnection } from "@duckdb/node-api";

/** Between two tries to end a query: one that had not begun yet is not interrupted. */
const interruptEveryMs = 20;

/**
 * Runs one query of a connection, unless `ending` is aborted first: then it throws, at once or as soon as DuckDB has
 * let go.
 */
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

/** Work under way that can be ended. */
export class AbortableTasks {
  readonly #controllers = new Set<AbortController>();

  /** Runs work that ends when the signal it is given is aborted; `timeMaxMs` after its beginning it is. */
  async run<Result>(work: (signal: AbortSignal) => Promise<Result>, timeMaxMs?: number): Promise<Result> {
    const controller = new AbortController();
    const late = () => controller.abort(new Error("The query took too long."));
    const timer = timeMaxMs === undefined ? undefined : setTimeout(late, timeMaxMs);
    this.#controllers.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      clearTimeout(timer);
      this.#controllers.delete(controller);
    }
  }

  abortAll(reason: string): void {
    for (const controller of this.#controllers) controller.abort(new Error(reason));
  }
}
