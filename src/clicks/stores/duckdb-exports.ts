import type { DuckDBConnection } from "@duckdb/node-api";
import { secondMs } from "../../base/time.ts";
import { type BegunExport, type ClickExport, exportTimeMaxMs } from "../export.ts";
import { compileExport } from "./duckdb-export-sql.ts";
import type { CompiledQuery } from "./duckdb-sql.ts";
import { untilEnded } from "./interrupt.ts";
import { giveMemoryBack } from "./memory.ts";

/**
 * What DuckDB may hold of the file's blocks and all else while exports are written, as it writes sizes, and how often it
 * is told. They read much of the file once, and DuckDB would keep as much of that as its memory has room for: an export
 * of ten million clicks then takes the process to 590 MB, and to 450 MB so.
 */
const trimmedMemory = "160MB";
const trimEveryMs = secondMs / 4;

/** Exports of one open store; its callers bound how many. */
export type DuckDbExports = ReturnType<typeof openDuckDbExports>;

/**
 * Writes exports, each on a connection of its own, so that neither inserts nor questions wait for it. `memoryMax` is what
 * DuckDB may take otherwise.
 */
export function openDuckDbExports(connect: () => Promise<DuckDBConnection>, memoryMax: string) {
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
        trimming(connect, memoryMax, () => inTime(connection, ending, () => connection.run(copy.sql, copy.parameters)))
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

/**
 * Runs work, while DuckDB gives back what it holds of the file beyond trimmedMemory, time and again. Its limit is that for
 * a moment each time: a question that needs more in this moment is refused, and one that has more already keeps it.
 */
async function trimming<Result>(
  connect: () => Promise<DuckDBConnection>,
  memoryMax: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const trimmer = await connect();
  let trimmed: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const trim = () => giveMemoryBack(trimmer, trimmedMemory, memoryMax);
    // It cannot while a question holds more, and may the next time.
    trimmed = trimmed.then(trim).catch(() => {});
  }, trimEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await trimmed;
    trimmer.closeSync();
  }
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
