import type { DuckDBConnection } from "@duckdb/node-api";
import { type ClickExport, exportTimeMaxMs, type StartedExport } from "../../export.ts";
import { untilAborted } from "./abort.ts";
import { compileExport } from "./compile-export.ts";
import type { CompiledQuery } from "./sql.ts";

/** The exports of one open store. Callers bound their number. */
export type Exports = ReturnType<typeof openExports>;

/** Writes each export on its own connection, so that neither inserts nor queries wait for it. */
export function openExports(connect: () => Promise<DuckDBConnection>) {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  /** New exports wait for this promise before they begin. */
  let barrier: Promise<unknown> = Promise.resolve();

  async function begin(order: ClickExport, signal: AbortSignal): Promise<StartedExport> {
    const stopSignal = AbortSignal.any([signal, closing.signal]);
    stopSignal.throwIfAborted();
    const { count, copy } = compileExport(order);
    const connection = await connect();
    try {
      // One snapshot for both, so that the count matches the file.
      await connection.run("BEGIN TRANSACTION");
      const clicks = await inTime(connection, stopSignal, () => numberOf(connection, count));
      const ended = track(
        inTime(connection, stopSignal, () => connection.run(copy.sql, copy.parameters))
          .then(() => undefined)
          .finally(() => connection.closeSync()),
      );
      return { clicks, ended };
    } catch (error) {
      connection.closeSync();
      throw error;
    }
  }

  /** Keeps track of running work, so that close can wait for it. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    running.add(work);
    const forget = () => running.delete(work);
    // The caller handles the failure, if there is a caller.
    work.then(forget, forget);
    return work;
  }

  async function allEnded(): Promise<void> {
    while (running.size > 0) await Promise.allSettled([...running]);
  }

  return {
    /** See ClickStore.export. */
    async begin(order: ClickExport, signal: AbortSignal): Promise<StartedExport> {
      await barrier;
      return await track(begin(order, signal));
    },
    /** True while an export is being written. */
    get areRunning(): boolean {
      return running.size > 0;
    },
    /** Runs work while no export runs: waits for the running exports, and delays new ones until the work ends. */
    async without<Result>(work: () => Promise<Result>): Promise<Result> {
      const result = barrier.then(allEnded).then(work);
      barrier = result.catch(() => {});
      return await result;
    },
    /** Aborts the running exports and waits for them. DuckDB crashes the process if it is closed while it works. */
    async close(): Promise<void> {
      closing.abort(new Error("The store is closed."));
      await allEnded();
    },
  };
}

async function numberOf(connection: DuckDBConnection, { sql, parameters }: CompiledQuery): Promise<number> {
  const result = await connection.runAndReadAll(sql, parameters);
  return Number(result.getRows()[0]?.[0]);
}

/** Runs a statement until it ends, is aborted, or takes too long. */
async function inTime<Result>(
  connection: DuckDBConnection,
  stopSignal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const overdue = new AbortController();
  const timer = setTimeout(() => overdue.abort(new Error("The export took too long.")), exportTimeMaxMs);
  try {
    return await untilAborted(connection, AbortSignal.any([stopSignal, overdue.signal]), work);
  } finally {
    clearTimeout(timer);
  }
}
