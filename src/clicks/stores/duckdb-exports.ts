import type { DuckDBConnection } from "@duckdb/node-api";
import { type BegunExport, type ClickExport, exportTimeMaxMs } from "../export.ts";
import { compileExport } from "./duckdb-export-sql.ts";
import type { CompiledQuery } from "./duckdb-sql.ts";
import { untilEnded } from "./interrupt.ts";

/** Exports of one open store; its callers bound how many. */
export type DuckDbExports = ReturnType<typeof openDuckDbExports>;

/** Writes exports, each on another connection, so that neither inserts nor questions wait for it. */
export function openDuckDbExports(connect: () => Promise<DuckDBConnection>) {
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  /** What exports wait for before they begin. */
  let gate: Promise<unknown> = Promise.resolve();

  async function begin(order: ClickExport, signal: AbortSignal): Promise<BegunExport> {
    const ending = AbortSignal.any([signal, closing.signal]);
    ending.throwIfAborted();
    const { count, copy } = compileExport(order);
    const connection = await connect();
    try {
      // One snapshot for both, so that the number is that of the file.
      await connection.run("BEGIN TRANSACTION");
      const clicks = await inTime(connection, ending, () => numberOf(connection, count));
      const ended = track(
        inTime(connection, ending, () => connection.run(copy.sql, copy.parameters))
          .then(() => undefined)
          .finally(() => connection.closeSync()),
      );
      return { clicks, ended };
    } catch (error) {
      connection.closeSync();
      throw error;
    }
  }

  /** Remembers what is under way, for close to wait for. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    underWay.add(work);
    const forget = () => underWay.delete(work);
    // Its failure belongs to who waits for it, if anybody does.
    work.then(forget, forget);
    return work;
  }

  async function allEnded(): Promise<void> {
    while (underWay.size > 0) await Promise.allSettled([...underWay]);
  }

  return {
    /** See ClickStore.export. */
    async begin(order: ClickExport, signal: AbortSignal): Promise<BegunExport> {
      await gate;
      return await track(begin(order, signal));
    },
    /** Whether any is being written. */
    get areUnderWay(): boolean {
      return underWay.size > 0;
    },
    /** Runs work that no export may be under way beside: once those that are have ended, and before the next begins. */
    async without<Result>(work: () => Promise<Result>): Promise<Result> {
      const result = gate.then(allEnded).then(work);
      gate = result.catch(() => {});
      return await result;
    },
    /** Ends what is under way, and waits for it: DuckDB ends the process when it is left while it works. */
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

/** Runs a statement to its end, unless it is told to end or its time is over. */
async function inTime<Result>(
  connection: DuckDBConnection,
  ending: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const overdue = new AbortController();
  const timer = setTimeout(() => overdue.abort(new Error("The export took too long.")), exportTimeMaxMs);
  try {
    return await untilEnded(connection, AbortSignal.any([ending, overdue.signal]), work);
  } finally {
    clearTimeout(timer);
  }
}
